import { Check } from 'lucide-react';
import { Dialog as AriaDialog, Heading, Menu as AriaMenu, MenuItem as AriaMenuItem, Modal, ModalOverlay, Popover, type ButtonProps, type Key } from 'react-aria-components';
import type { ReactElement, ReactNode, RefObject } from 'react';
import styles from './ui.module.css';

export type DialogProps = {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  size?: 'large';
  /** Whether Escape and a click outside close the dialog, unless useDialogGuard prevents it. */
  dismissable?: boolean;
  children: ReactNode;
};

/** The open state of Dialog. */
export function OpenDialog({ title, onClose, size, dismissable, children }: Omit<DialogProps, 'isOpen'>) {
  return (
    <ModalOverlay className={styles.backdrop!} isOpen onOpenChange={(open) => !open && onClose()} isDismissable={dismissable} isKeyboardDismissDisabled={!dismissable}>
      <Modal className={styles.dialog!} data-size={size}>
        <AriaDialog>
          <Heading slot="title">{title}</Heading>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

export type MenuItemProps = { id?: Key; textValue?: string; onAction?: () => void; isDisabled?: boolean; danger?: boolean; children?: ReactNode };

export type MenuProps = {
  trigger: ReactElement<ButtonProps & { ref?: RefObject<HTMLButtonElement | null> }>;
  label: string;
  /** The id of the selected item, for menus with a selection. */
  value?: Key;
  onChange?: (value: Key) => void;
  placement?: 'bottom end' | 'bottom start' | 'top start';
  /** MenuItem elements. */
  children: ReactNode;
};

type OpenMenuProps = Omit<MenuProps, 'trigger' | 'children'> & { button: RefObject<HTMLButtonElement | null>; items: MenuItemProps[]; onClose: () => void };

/** The open state of Menu. */
export function OpenMenu({ label, value, onChange, placement = 'bottom end', button, items, onClose }: OpenMenuProps) {
  const choice = onChange && {
    selectionMode: 'single' as const,
    disallowEmptySelection: true,
    selectedKeys: value === undefined ? [] : [value],
    onSelectionChange: (keys: 'all' | Set<Key>) => [...keys].slice(0, 1).forEach((key) => onChange(key)),
  };
  return (
    <Popover aria-label={label} className={styles.popover!} triggerRef={button} isOpen onOpenChange={(open) => !open && onClose()} placement={placement}>
      <AriaMenu className={styles.list!} aria-label={label} autoFocus="first" onClose={onClose} {...choice}>
        {items.map(({ id, danger, children, ...item }, i) => (
          <AriaMenuItem key={id ?? i} id={id ?? i} {...item} className={styles.item!} data-danger={danger || undefined}>
            {({ isSelected }) => (
              <>
                {children}
                {isSelected && <Check aria-hidden />}
              </>
            )}
          </AriaMenuItem>
        ))}
      </AriaMenu>
    </Popover>
  );
}
