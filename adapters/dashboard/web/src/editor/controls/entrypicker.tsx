import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { ComboBox, Input, ListBox, ListBoxItem, Popover } from 'react-aria-components';
import { StatusChip } from '../../content/statuschip';
import { Chip } from '../../ui/basics';
import { useTexts } from '../../i18n/language';
import { inputClass } from '../../ui/textfields';
import ui from '../../ui/ui.module.css';
import styles from '../editor.module.css';
import { candidatesQuery, collectionOf, nameOf, type Target } from '../related';
import type { ControlProps } from './simple';

/** Searches the entries of one or several collections by title, in a locale or its fallbacks. */
export default function EntryPicker({ target, locale, attributes, taken, onPick }: { target: Target; locale: string; attributes: ControlProps['attributes']; taken: number[]; onPick: (id: number, title: string) => void }) {
  const t = useTexts('editor').entrypicker;
  const [text, setText] = useState('');
  const [searched, setSearched] = useState('');
  const [active, setActive] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSearched(text.trim()), 200);
    return () => clearTimeout(timer);
  }, [text]);
  const { data } = useQuery({ ...candidatesQuery(target, locale, searched), enabled: active, placeholderData: keepPreviousData });
  const several = target.collections.length > 1;
  const found = (data ?? []).flatMap((entry) => {
    const collection = collectionOf(target, entry);
    return collection && !taken.includes(entry.id) ? [{ id: entry.id, entry, title: nameOf(collection, entry), collection: collection.name }] : [];
  });
  return (
    <ComboBox
      aria-labelledby={`${attributes.id}-label`}
      className={styles.picker!}
      items={found}
      inputValue={text}
      onInputChange={setText}
      selectedKey={null}
      onSelectionChange={(key) => {
        if (key === null) return;
        setText('');
        onPick(Number(key), found.find((e) => e.id === Number(key))?.title ?? '');
      }}
      onFocusChange={(focused) => focused && setActive(true)}
      menuTrigger="focus"
      allowsEmptyCollection
      isInvalid={attributes['aria-invalid']}
    >
      <Search aria-hidden />
      <Input
        id={attributes.id}
        aria-describedby={attributes['aria-describedby']}
        aria-required={attributes['aria-required']}
        className={inputClass}
        placeholder={t.search(target.collections.map((c) => c.name).join(', '))}
        onKeyDown={(event) => event.key === 'Escape' && setText('')} // a text without a selection would open the list again
      />
      <Popover className={ui.popover!}>
        <ListBox className={ui.list!} renderEmptyState={() => <div className={styles.nothing}>{data ? t.nothing : t.loading}</div>}>
          {({ id, entry, title, collection }: (typeof found)[number]) => (
            <ListBoxItem id={id} textValue={several ? `${title}, ${collection}` : title} className={ui.item!}>
              <span className={styles.candidate}>{title}</span>
              {several && <Chip plain>{collection}</Chip>}
              <StatusChip entry={entry} />
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
