import { useState, type ReactNode } from 'react';
import { asApiError, type ApiError } from '../api/error';
import { useTexts } from '../i18n/language';
import { Problem } from '../ui/basics';
import { Button } from '../ui/button';
import { Cancelled } from '../ui/form';
import { TextField } from '../ui/forms';
import { Dialog } from '../ui/overlays';
import ui from '../ui/ui.module.css';
import styles from './settings.module.css';

type DeletionProps = {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  /** The name that the user must type to confirm, if any. */
  typed?: string;
  /** The label of the button; default: "Delete". */
  action?: string;
  /** Whether the consequences are not known yet. */
  isDisabled?: boolean;
  onDelete: () => Promise<unknown>;
  /** Renders an error; default: Problem. */
  problem?: (error: ApiError) => ReactNode;
  children?: ReactNode;
};

/** A dialog that asks for confirmation of a deletion and shows its error. */
export function Deletion({ isOpen, ...props }: DeletionProps) {
  return (
    <Dialog title={props.title} isOpen={isOpen} onClose={props.onClose}>
      <Body {...props} />
    </Dialog>
  );
}

function Body({ onClose, typed, action, isDisabled, onDelete, problem, children }: Omit<DeletionProps, 'isOpen'>) {
  const t = useTexts('settings').deletion;
  const [name, setName] = useState('');
  const [error, setError] = useState<ApiError>();
  const [pending, setPending] = useState(false);
  const ready = typed === undefined || name.trim() === typed.trim();
  const run = async () => {
    setPending(true);
    setError(undefined);
    try {
      await onDelete();
      onClose();
    } catch (caught) {
      if (!(caught instanceof Cancelled)) setError(asApiError(caught));
    } finally {
      setPending(false);
    }
  };
  return (
    <>
      <div className={ui.ask}>{children}</div>
      {typed !== undefined && <TextField label={t.type(typed)} value={name} onChange={setName} autoComplete="off" spellCheck={false} />}
      {error && (problem?.(error) ?? <Problem error={error} />)}
      <footer>
        <Button onPress={onClose}>{t.cancel}</Button>
        <Button kind="danger" isDisabled={!ready || isDisabled} isPending={pending} onPress={() => void run()}>
          {action ?? t.delete}
        </Button>
      </footer>
    </>
  );
}

type RemovalProps = Omit<DeletionProps, 'isOpen' | 'onClose' | 'action'> & {
  /** Describes the consequences. The dialog shows it, too, unless it has children. */
  text: string;
  action: string;
  onOpen?: () => void;
};

/** The section of a page that deletes the object of the page. */
export function Removal({ text, onOpen, children, ...props }: RemovalProps) {
  const [isOpen, setOpen] = useState(false);
  const open = () => {
    setOpen(true);
    onOpen?.();
  };
  return (
    <>
      <div className={styles.danger}>
        <p>{text}</p>
        <Button kind="danger" onPress={open}>
          {props.action}
        </Button>
      </div>
      <Deletion {...props} isOpen={isOpen} onClose={() => setOpen(false)}>
        {children ?? <p>{text}</p>}
      </Deletion>
    </>
  );
}
