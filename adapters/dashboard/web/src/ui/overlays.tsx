import { X } from 'lucide-react';
import { Children, cloneElement, createContext, isValidElement, lazy, Suspense, useContext, useEffect, useRef, useState, type ReactNode } from 'react';
import { useTexts } from '../i18n/language';
import { Button, IconButton } from './button';
import type { DialogProps, MenuItemProps, MenuProps } from './opened';
import styles from './ui.module.css';

// Overlays: dialogs and menus. Their code is loaded on demand, because most page visits open none.

const LazyDialog = lazy(() => import('./opened').then((m) => ({ default: m.OpenDialog })));
const LazyMenu = lazy(() => import('./opened').then((m) => ({ default: m.OpenMenu })));
const load = () => void import('./opened');

/** A modal dialog. Put its actions into a <footer>. */
export function Dialog({ isOpen, children, ...props }: DialogProps) {
  const [guarded, setGuarded] = useState(false);
  if (!isOpen) return null;
  return (
    <Suspense fallback={null}>
      <LazyDialog {...props} guarded={guarded}>
        <DialogGuard value={setGuarded}>{children}</DialogGuard>
      </LazyDialog>
    </Suspense>
  );
}

const DialogGuard = createContext<((guarded: boolean) => void) | undefined>(undefined);

/**
 * While guarded, Escape and a click outside do not close the dialog around the caller. Use it for
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

/** A dialog that asks for confirmation. action is the label of its button. */
export function Confirm({ title, isOpen, onClose, onConfirm, action, danger, isPending, children }: ConfirmProps) {
  const t = useTexts('common').overlays;
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

/** One item of a Menu. It only carries props: Menu renders it. */
export const MenuItem: (props: MenuItemProps) => ReactNode = () => null;

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

/** The close button of a dialog or panel. */
export function CloseButton({ onPress }: { onPress?: () => void }) {
  return <IconButton label={useTexts('common').overlays.close} icon={<X aria-hidden />} onPress={onPress} slot={onPress ? undefined : 'close'} />;
}
