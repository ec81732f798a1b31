import { createContext, useContext, useRef, useState, type ReactNode } from 'react';
import { DialogTrigger, Popover as AriaPopover } from 'react-aria-components';
import styles from './ui.module.css';

type PopoverProps = {
  /** The button that opens it. */
  trigger: ReactNode;
  label: string;
  /** Renders the content; close closes the popover. */
  children: (close: () => void) => ReactNode;
};

const Hold = createContext((_held: boolean) => {});

/**
 * Returns a function that keeps the popover around the caller open while a dialog is open above it:
 * the dialog takes the focus, which would close the popover and the dialog with it. Call it with true
 * before the dialog opens, and with false when it closes.
 */
export const useHold = () => useContext(Hold);

/** A small form beside its button. */
export function Popover({ trigger, label, children }: PopoverProps) {
  const [isOpen, setOpen] = useState(false);
  const held = useRef(false);
  const hold = (now: boolean) => {
    held.current = now;
  };
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={(open) => !held.current && setOpen(open)}>
      {trigger}
      {/* No Dialog inside: the popover has the dialog role and adds close buttons for screen readers. */}
      <AriaPopover aria-label={label} className={`${styles.popover} ${styles.form}`} placement="bottom start">
        <Hold value={hold}>
          <div>{children(() => setOpen(false))}</div>
        </Hold>
      </AriaPopover>
    </DialogTrigger>
  );
}
