import { useTexts } from '../../i18n/language';
import type { Form } from '../../ui/form';
import { TextField } from '../../ui/forms';

type Props = {
  form: Pick<Form<{ name: string; slug: string }>, 'field' | 'set'>;
  slugHint: string;
  /** Called with the name, unless the user has entered a slug. */
  suggest?: (name: string) => void;
  /** Called when the user enters a slug, or empties it. */
  onOwnSlug: (own: boolean) => void;
};

/** The inputs for the name of a new definition and for its slug. */
export function NameAndSlug({ form, slugHint, suggest, onOwnSlug }: Props) {
  const t = useTexts('model').definitions;
  const changeName = (name: string) => {
    form.set('name', name);
    suggest?.(name);
  };
  const changeSlug = (slug: string) => {
    form.set('slug', slug);
    onOwnSlug(slug !== '');
  };
  return (
    <>
      <TextField label={t.name} required autoComplete="off" {...form.field('name')} onChange={changeName} />
      <TextField label={t.slug} hint={slugHint} required autoComplete="off" spellCheck={false} {...form.field('slug')} onChange={changeSlug} />
    </>
  );
}
