import { useState, type ReactNode } from 'react';
import { DialogTrigger, Popover as AriaPopover } from 'react-aria-components';
import styles from './ui.module.css';

type PopoverProps = {
  /** The button that opens it. */
  trigger: ReactNode;
  label: string;
  /** What it holds; close closes it. */
  children: (close: () => void) => ReactNode;
};

/** A small form beside the button that opens it. */
export function Popover({ trigger, label, children }: PopoverProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
      {trigger}
      {/* The popover is the dialog itself, with the buttons inside that close it for screen readers. */}
      <AriaPopover aria-label={label} className={`${styles.popover} ${styles.form}`} placement="bottom start">
        <div>{children(() => setOpen(false))}</div>
      </AriaPopover>
    </DialogTrigger>
  );
}
