import { Copy } from 'lucide-react';
import { useState } from 'react';
import { asApiError } from '../../api/error';
import { queryClient } from '../../api/queries';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import { ProblemLine } from '../../ui/basics';
import { Button } from '../../ui/button';
import { toast } from '../../ui/toast';
import { useEditing } from '../context';
import { isStructured } from '../items/structured';
import { entryQuery } from '../queries';
import type { Entry } from '../store';
import { empty } from '../values';
import styles from './panel.module.css';

/** Copies the values of the text in the default language into the fields that are empty here. */
export function CopyFrom({ source }: { source: Entry }) {
  const t = useTexts('editor').languages;
  const format = useFormat();
  const { store, project, collection } = useEditing();
  const [isPending, setPending] = useState(false);
  const copy = async () => {
    setPending(true);
    try {
      // The list of translations has no groups and blocks. Items keep their keys: they stand beside those of the source.
      const { fields: values } = await queryClient.fetchQuery({ ...entryQuery({ projectId: project.id, collectionId: collection.id }, source.id), staleTime: 0 });
      // A slug follows its title in each language.
      const fields = collection.fields.filter((f) => f.type !== 'slug' && f.type !== 'password' && !f.hidden && unset(store.value(f.name), isStructured(f)) && !unset(values[f.name], isStructured(f)));
      for (const { name } of fields) store.set(name, values[name], '');
      toast(fields.length > 0 ? t.copied(format.list(fields.map((f) => f.label))) : t.nothingToCopy);
    } catch (error) {
      toast(<ProblemLine error={asApiError(error)} />);
    } finally {
      setPending(false);
    }
  };
  return (
    <div className={styles.beside}>
      <Button kind="quiet" icon={<Copy aria-hidden />} isPending={isPending} onPress={() => void copy()}>
        {t.copyFrom(format.locale(source.locale))}
      </Button>
    </div>
  );
}

/** Whether a field has no value. A group without any value has none. */
const unset = (value: unknown, structured: boolean) => empty(value) || (structured && !Array.isArray(value) && Object.values(value as object).every(empty));
