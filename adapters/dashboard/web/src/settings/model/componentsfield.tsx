import { Trash2 } from 'lucide-react';
import { useTexts } from '../../i18n/language';
import { IconButton } from '../../ui/button';
import { Fault, Select } from '../../ui/forms';
import { Sortable } from '../../ui/sortable';
import ui from '../../ui/ui.module.css';
import type { FieldOf } from '../../ui/form';
import css from './definition.module.css';
import type { Definition } from './requests';

type Props = FieldOf<readonly string[]> & { components: readonly Definition[]; isNew?: boolean };

/** The components of blocks in their order. */
export function ComponentsField({ components, isNew, value, onChange, fault }: Props) {
  const t = useTexts('model').componentsfield;
  const form = useTexts('model').fieldform;
  const nameOf = (slug: string) => components.find((c) => c.slug === slug)?.name ?? slug;
  const left = components.filter(({ slug }) => !value.includes(slug));
  return (
    <fieldset className={css.components}>
      <legend>{t.label}</legend>
      {value.length > 0 ? (
        <Sortable label={t.label} items={value.map((id) => ({ id }))} nameOf={({ id }) => nameOf(id)} onOrder={(items) => onChange(items.map(({ id }) => id))}>
          {({ id }) => (
            <>
              <span>{nameOf(id)}</span>
              <IconButton label={t.remove(nameOf(id))} icon={<Trash2 aria-hidden />} onPress={() => onChange(value.filter((slug) => slug !== id))} />
            </>
          )}
        </Sortable>
      ) : (
        <p>{t.none}</p>
      )}
      <Select
        label={t.add}
        hideLabel
        placeholder={left.length > 0 ? t.add : components.length > 0 ? t.all : form.noComponents}
        isDisabled={left.length === 0}
        value={null}
        onChange={(slug) => onChange([...value, slug])}
        options={left.map(({ slug, name }) => ({ id: slug, label: name }))}
      />
      {fault && <Fault>{fault}</Fault>}
      <div className={ui.hint}>{isNew ? t.hint : `${t.hint} ${t.changeHint}`}</div>
    </fieldset>
  );
}
