import { useTexts } from '../i18n/language';
import { useForm } from '../ui/form';
import { TextField } from '../ui/forms';
import { SaveForm } from '../ui/saveform';
import styles from './settings.module.css';

type NameFormProps = {
  name?: string;
  /** The label of the button; default: "Save". */
  action?: string;
  hint?: string;
  onSave: (name: string) => Promise<unknown>;
  onCancel?: () => void;
  onSaved?: () => void;
};

/** A form with only a name, for an organisation, a department or a role. */
export function NameForm({ name = '', action, hint, onSave, onCancel, onSaved }: NameFormProps) {
  const t = useTexts('settings').nameform;
  const form = useForm({ name }, (values) => onSave(values.name));
  return (
    <div className={styles.narrow}>
      <SaveForm form={form} action={action ?? t.save} onCancel={onCancel} onSaved={onSaved}>
        <TextField label={t.name} hint={hint} required autoComplete="off" {...form.field('name')} />
      </SaveForm>
    </div>
  );
}
