import { Check, X } from 'lucide-react';
import { createContext, useContext, useEffect, useState, useSyncExternalStore, type ReactNode } from 'react';
import {
  Dialog as AriaDialog,
  Heading,
  Menu as AriaMenu,
  MenuItem as AriaMenuItem,
  MenuTrigger,
  Modal,
  ModalOverlay,
  Popover,
  type Key,
  type MenuItemProps,
} from 'react-aria-components';
import { texts, useTexts } from '../i18n/language';
import { Button, IconButton } from './button';
import styles from './ui.module.css';

type DialogProps = {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  size?: 'large';
  /** Whether Escape and a click beside it close the dialog, while useDialogGuard does not prevent it. */
  dismissable?: boolean;
  children: ReactNode;
};

/** A dialog over the page. Its actions stand in a footer. */
export function Dialog({ title, isOpen, onClose, size, dismissable = true, children }: DialogProps) {
  const [guarded, setGuarded] = useState(false);
  const closes = dismissable && !guarded;
  return (
    <ModalOverlay className={styles.backdrop!} isOpen={isOpen} onOpenChange={(open) => !open && onClose()} isDismissable={closes} isKeyboardDismissDisabled={!closes}>
      <Modal className={styles.dialog!} data-size={size}>
        <AriaDialog>
          <Heading slot="title">{title}</Heading>
          <DialogGuard value={setGuarded}>{children}</DialogGuard>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

const DialogGuard = createContext<((guarded: boolean) => void) | undefined>(undefined);

/**
 * Keeps Escape and a click beside it from closing the dialog around the caller, as while it holds
 * unsaved work. Returns whether the caller is in a dialog.
 */
export function useDialogGuard(guarded: boolean) {
  const set = useContext(DialogGuard);
  useEffect(() => {
    set?.(guarded);
    return () => set?.(false);
  }, [set, guarded]);
  return set !== undefined;
}

type ConfirmProps = { title: string; isOpen: boolean; onClose: () => void; onConfirm: () => void; action: string; danger?: boolean; isPending?: boolean; children?: ReactNode };

/** Asks before something that cannot be undone. action is the word on its button. */
export function Confirm({ title, isOpen, onClose, onConfirm, action, danger, isPending, children }: ConfirmProps) {
  const t = useTexts(words);
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      <div className={styles.ask}>{children}</div>
      <footer>
        <Button onPress={onClose}>{t.cancel}</Button>
        <Button kind={danger ? 'danger' : 'primary'} onPress={onConfirm} isPending={isPending}>
          {action}
        </Button>
      </footer>
    </Dialog>
  );
}

type MenuProps = {
  trigger: ReactNode;
  label: string;
  /** The id of the chosen item, if the menu chooses one of its items. */
  value?: Key;
  onChange?: (value: Key) => void;
  children: ReactNode;
};

/** A button and the menu that it opens. */
export function Menu({ trigger, label, value, onChange, children }: MenuProps) {
  const choice = onChange && { selectionMode: 'single' as const, disallowEmptySelection: true, selectedKeys: value === undefined ? [] : [value], onSelectionChange: (keys: 'all' | Set<Key>) => [...keys].slice(0, 1).forEach((key) => onChange(key)) };
  return (
    <MenuTrigger>
      {trigger}
      <Popover className={styles.popover!} placement="bottom end">
        <AriaMenu className={styles.list!} aria-label={label} {...choice}>
          {children}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}

export function MenuItem({ danger, children, ...props }: Omit<MenuItemProps, 'className' | 'children'> & { danger?: boolean; children?: ReactNode }) {
  return (
    <AriaMenuItem {...props} className={styles.item!} data-danger={danger || undefined}>
      {({ isSelected }) => (
        <>
          {children}
          {isSelected && <Check aria-hidden />}
        </>
      )}
    </AriaMenuItem>
  );
}

// Short messages at the corner of the page.

type Message = { id: number; text: ReactNode; action?: { label: string; run: () => void } };

let messages: readonly Message[] = [];
let nextId = 1;
const listeners = new Set<() => void>();
const lifetime = 8_000; // ms

function set(next: readonly Message[]) {
  messages = next;
  listeners.forEach((listener) => listener());
}

const remove = (id: number) => set(messages.filter((m) => m.id !== id));

/** Says that something happened, with a way to undo or see it. */
export function toast(text: ReactNode, action?: Message['action']) {
  const id = nextId++;
  set([...messages.slice(-2), { id, text, action }]);
  setTimeout(() => remove(id), lifetime);
}

/** The region of the messages; the application shows it once. */
export function Toasts() {
  const t = useTexts(words);
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => messages,
  );
  return (
    <div className={styles.toasts} role="status">
      {shown.map((m) => (
        <div key={m.id}>
          <span>{m.text}</span>
          {m.action && (
            <button
              onClick={() => {
                remove(m.id);
                m.action?.run();
              }}
            >
              {m.action.label}
            </button>
          )}
          <button aria-label={t.close} onClick={() => remove(m.id)}>
            <X aria-hidden />
          </button>
        </div>
      ))}
    </div>
  );
}

/** The cross that closes a dialog or panel. */
export function CloseButton({ onPress }: { onPress?: () => void }) {
  return <IconButton label={useTexts(words).close} icon={<X aria-hidden />} onPress={onPress} slot={onPress ? undefined : 'close'} />;
}

const words = texts({ en: { cancel: 'Cancel', close: 'Close' }, de: { cancel: 'Abbrechen', close: 'Schließen' } });
