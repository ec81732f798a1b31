import { X } from 'lucide-react';
import { Children, cloneElement, createContext, isValidElement, lazy, Suspense, useContext, useEffect, useRef, useState, type ReactElement, type ReactNode, type RefObject } from 'react';
import type { ButtonProps, Key } from 'react-aria-components';
import { texts, useTexts } from '../i18n/language';
import { Button, IconButton } from './button';
import styles from './ui.module.css';

// What opens over the page. Its machinery is loaded when it first opens, because most visits of a
// page open nothing.

const LazyDialog = lazy(() => import('./opened').then((m) => ({ default: m.OpenDialog })));
const LazyMenu = lazy(() => import('./opened').then((m) => ({ default: m.OpenMenu })));
const load = () => void import('./opened');

export type DialogProps = {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  size?: 'large';
  /** Whether Escape and a click beside it close the dialog, while useDialogGuard does not prevent it. */
  dismissable?: boolean;
  children: ReactNode;
};

/** A dialog over the page. Its actions stand in a footer. */
export function Dialog({ isOpen, children, ...props }: DialogProps) {
  const [guarded, setGuarded] = useState(false);
  if (!isOpen) return null;
  return (
    <Suspense fallback={null}>
      <LazyDialog {...props} dismissable={props.dismissable !== false && !guarded}>
        <DialogGuard value={setGuarded}>{children}</DialogGuard>
      </LazyDialog>
    </Suspense>
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

export type MenuItemProps = { id?: Key; textValue?: string; onAction?: () => void; isDisabled?: boolean; danger?: boolean; children?: ReactNode };

/** One item of a Menu, which draws it. */
export const MenuItem: (props: MenuItemProps) => ReactNode = () => null;

export type MenuProps = {
  trigger: ReactElement<ButtonProps & { ref?: RefObject<HTMLButtonElement | null> }>;
  label: string;
  /** The id of the chosen item, if the menu chooses one of its items. */
  value?: Key;
  onChange?: (value: Key) => void;
  placement?: 'bottom end' | 'bottom start' | 'top start';
  /** Elements of MenuItem. */
  children: ReactNode;
};

/** A button and the menu that it opens. */
export function Menu({ trigger, children, ...props }: MenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const items = Children.toArray(children).filter(isValidElement<MenuItemProps>);
  return (
    <>
      {cloneElement(trigger, {
        ref: button,
        'aria-haspopup': 'menu',
        'aria-expanded': isOpen,
        onPress: () => setOpen(true),
        onHoverStart: load,
        onFocus: load,
        onKeyDown: (event) => (event.key === 'ArrowDown' ? setOpen(true) : event.continuePropagation()),
      })}
      {isOpen && (
        <Suspense fallback={null}>
          <LazyMenu {...props} button={button} items={items.map((item) => item.props)} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

/** The cross that closes a dialog or panel. */
export function CloseButton({ onPress }: { onPress?: () => void }) {
  return <IconButton label={useTexts(words).close} icon={<X aria-hidden />} onPress={onPress} slot={onPress ? undefined : 'close'} />;
}

const words = texts({ en: { cancel: 'Cancel', close: 'Close' }, de: { cancel: 'Abbrechen', close: 'Schließen' } });
