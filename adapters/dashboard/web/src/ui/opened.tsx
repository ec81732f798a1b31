import { Check } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Dialog as AriaDialog, Heading, Menu as AriaMenu, MenuItem as AriaMenuItem, Modal, ModalOverlay, Popover, type ButtonProps, type Key } from 'react-aria-components';
import type { ReactElement, ReactNode, RefObject } from 'react';
import { useTexts } from '../i18n/language';
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

/** The open state of Dialog. guarded: it has unsaved work, so that only its buttons close it. */
export function OpenDialog({ title, onClose, size, dismissable = true, guarded, children }: Omit<DialogProps, 'isOpen'> & { guarded: boolean }) {
  const t = useTexts('common').overlays;
  const dialog = useRef<HTMLElement>(null);
  const [refused, setRefused] = useState(false);
  const closes = dismissable && !guarded;
  useEffect(() => {
    setRefused(false);
    if (!guarded) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented && event.target instanceof Node && dialog.current?.contains(event.target)) setRefused(true);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [guarded]);
  return (
    <ModalOverlay className={styles.backdrop!} isOpen onOpenChange={(open) => !open && onClose()} isDismissable={closes} isKeyboardDismissDisabled={!closes}>
      <Modal className={styles.dialog!} data-size={size}>
        <AriaDialog ref={dialog}>
          <Heading slot="title">{title}</Heading>
          <p role="status" className={styles.refused}>
            {refused && t.guarded}
          </p>
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
                {isSelected && <Check aria-hidden className={styles.chosen} />}
              </>
            )}
          </AriaMenuItem>
        ))}
      </AriaMenu>
    </Popover>
  );
}
