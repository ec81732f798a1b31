import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { ComboBox, Input, ListBox, ListBoxItem, Popover } from 'react-aria-components';
import { StatusChip } from '../../content/statuschip';
import { useTexts } from '../../i18n/language';
import { inputClass } from '../../ui/textfields';
import ui from '../../ui/ui.module.css';
import styles from '../editor.module.css';
import { candidatesQuery, nameOf, type Target } from '../related';
import type { ControlProps } from './simple';

/** Searches the entries of a collection by title, in a locale or its fallbacks. */
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
  const found = (data ?? []).filter((e) => !taken.includes(e.id));
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
        const entry = found.find((e) => e.id === Number(key));
        onPick(Number(key), entry ? nameOf(target.collection, entry) : '');
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
        placeholder={t.search(target.collection.name)}
        onKeyDown={(event) => event.key === 'Escape' && setText('')} // a text without a selection would open the list again
      />
      <Popover className={ui.popover!}>
        <ListBox className={ui.list!} renderEmptyState={() => <div className={styles.nothing}>{data ? t.nothing : t.loading}</div>}>
          {(entry: (typeof found)[number]) => {
            const title = nameOf(target.collection, entry);
            return (
              <ListBoxItem id={entry.id} textValue={title} className={ui.item!}>
                <span className={styles.candidate}>{title}</span>
                <StatusChip entry={entry} />
              </ListBoxItem>
            );
          }}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
