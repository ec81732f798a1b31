import { Trash2 } from 'lucide-react';
import { useTexts } from '../../i18n/language';
import { IconButton } from '../../ui/button';
import { Fault, Select } from '../../ui/forms';
import { Sortable } from '../../ui/sortable';
import ui from '../../ui/ui.module.css';
import type { FieldOf } from '../../ui/form';
import css from './definition.module.css';
import type { Definition } from './requests';

type Props = FieldOf<readonly string[]> & { isNew?: boolean };

/** The components of blocks in their order. */
export function ComponentsField({ components, ...field }: Props & { components: readonly Definition[] }) {
  const t = useTexts('model').componentsfield;
  const form = useTexts('model').fieldform;
  const texts = { label: t.label, hint: t.hint, changeHint: t.changeHint, none: t.none, add: t.add, all: components.length > 0 ? t.all : form.noComponents, remove: t.remove };
  return <SlugsField definitions={components} texts={texts} {...field} />;
}

/** The collections of a relation to several in their order. */
export function CollectionsField({ collections, ...field }: Props & { collections: readonly Definition[] }) {
  const t = useTexts('model').collectionsfield;
  const texts = { label: t.label, hint: t.hint, changeHint: t.changeHint, none: t.none, add: t.add, all: t.all, remove: t.remove };
  return <SlugsField definitions={collections} texts={texts} {...field} />;
}

type Texts = Record<'label' | 'hint' | 'changeHint' | 'none' | 'add' | 'all', string> & { remove: (name: string) => string };

/** A choice of definitions in an order. */
function SlugsField({ definitions, texts: t, isNew, value, onChange, fault }: Props & { definitions: readonly Definition[]; texts: Texts }) {
  const nameOf = (slug: string) => definitions.find((c) => c.slug === slug)?.name ?? slug;
  const left = definitions.filter(({ slug }) => !value.includes(slug));
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
        placeholder={left.length > 0 ? t.add : t.all}
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
