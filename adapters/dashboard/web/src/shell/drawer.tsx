import type { ReactNode } from 'react';
import { Dialog, Modal, ModalOverlay } from 'react-aria-components';
import styles from './shell.module.css';

/** Shows the navigation over the page, on narrow screens. A link in it closes it. */
export default function Drawer({ label, onClose, children }: { label: string; onClose: () => void; children: ReactNode }) {
  return (
    <ModalOverlay className={styles.drawer!} isOpen onOpenChange={(open) => !open && onClose()} isDismissable>
      <Modal>
        <Dialog aria-label={label}>
          <div onClick={(event) => event.target instanceof Element && event.target.closest('a') && onClose()}>{children}</div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
