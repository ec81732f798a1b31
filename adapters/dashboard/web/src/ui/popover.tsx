import { useState, type ReactNode } from 'react';
import { DialogTrigger, Popover as AriaPopover } from 'react-aria-components';
import styles from './ui.module.css';

type PopoverProps = {
  /** The button that opens it. */
  trigger: ReactNode;
  label: string;
  /** Renders the content; close closes the popover. */
  children: (close: () => void) => ReactNode;
};

/** A small form beside its button. */
export function Popover({ trigger, label, children }: PopoverProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
      {trigger}
      {/* No Dialog inside: the popover has the dialog role and adds close buttons for screen readers. */}
      <AriaPopover aria-label={label} className={`${styles.popover} ${styles.form}`} placement="bottom start">
        <div>{children(() => setOpen(false))}</div>
      </AriaPopover>
    </DialogTrigger>
  );
}
