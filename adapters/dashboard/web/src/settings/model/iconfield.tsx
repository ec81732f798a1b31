import { useTexts } from '../../i18n/language';
import { CollectionIcon } from '../../shell/collectionicon';
import type { Icon } from '../../shell/icons';
import css from './definition.module.css';

/** A choice of the icon of a collection. */
export function IconField({ value, onChange }: { value: Icon; onChange: (icon: Icon) => void }) {
  const t = useTexts('model').icons;
  return (
    <fieldset className={css.icons}>
      <legend>{t.label}</legend>
      {(Object.keys(t.names) as Icon[]).map((icon) => (
        <label key={icon} title={t.names[icon]}>
          <input type="radio" name="icon" aria-label={t.names[icon]} checked={value === icon} onChange={() => onChange(icon)} />
          <CollectionIcon icon={icon} />
        </label>
      ))}
    </fieldset>
  );
}
