import { Dialog, Modal, ModalOverlay } from 'react-aria-components';
import { Side } from './navigation';
import styles from './shell.module.css';

/** The navigation over the page, on narrow screens. */
export default function Drawer({ label, onClose }: { label: string; onClose: () => void }) {
  return (
    <ModalOverlay className={styles.drawer!} isOpen onOpenChange={(open) => !open && onClose()} isDismissable>
      <Modal>
        <Dialog aria-label={label}>
          <div onClick={(event) => event.target instanceof Element && event.target.closest('a') && onClose()}>
            <Side />
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
