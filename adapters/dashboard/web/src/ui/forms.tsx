import { Check, ChevronsUpDown } from 'lucide-react';
import { useId, type ReactNode } from 'react';
import {
  Button as AriaButton,
  Header,
  ListBox,
  ListBoxItem,
  ListBoxSection,
  Popover,
  Select as AriaSelect,
  SelectValue,
  type Key,
} from 'react-aria-components';
import { Fault } from './textfields';
import styles from './ui.module.css';

// Text fields are a separate module, because the shell needs only them.
export * from './textfields';
export * from './toggles';

export type Option<K extends Key = string> = { id: K; label: string; detail?: string };

type SelectProps<K extends Key> = {
  label: ReactNode;
  /** Shows the label only to screen readers. */
  hideLabel?: boolean;
  value: K | null;
  onChange: (value: K) => void;
  options: Option<K>[];
  /** Groups of options with headings, shown after options. */
  groups?: { title: string; options: Option<K>[] }[];
  placeholder?: string;
  hint?: ReactNode;
  fault?: ReactNode;
  isDisabled?: boolean;
};

/** A select field for one of a few options. */
export function Select<K extends Key>({ label, hideLabel, value, onChange, options, groups = [], placeholder, hint, fault, isDisabled }: SelectProps<K>) {
  const id = useId();
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ');
  return (
    <AriaSelect
      className={styles.field}
      aria-labelledby={`${id}-label`}
      selectedKey={value}
      onSelectionChange={(key) => key !== null && onChange(key as K)}
      placeholder={placeholder}
      isDisabled={isDisabled}
      isInvalid={!!fault}
    >
      <span id={`${id}-label`} className={hideLabel ? 'visually-hidden' : styles.label}>
        {label}
      </span>
      <AriaButton className={`${styles.input} ${styles.select}`} aria-describedby={described || undefined}>
        <SelectValue />
        <ChevronsUpDown aria-hidden />
      </AriaButton>
      {hint && (
        <div className={styles.hint} id={`${id}-hint`}>
          {hint}
        </div>
      )}
      {fault && <Fault id={`${id}-fault`}>{fault}</Fault>}
      <Popover className={styles.popover}>
        <ListBox className={styles.list}>
          {options.map((o) => (
            <OptionItem key={o.id} option={o} />
          ))}
          {groups.map((group) => (
            <ListBoxSection key={group.title} aria-label={group.title}>
              <Header className={styles.section}>{group.title}</Header>
              {group.options.map((o) => (
                <OptionItem key={o.id} option={o} />
              ))}
            </ListBoxSection>
          ))}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}

/** An option in an open list, with a check mark if it is selected. */
export function OptionItem({ option }: { option: Option<Key> }) {
  return (
    <ListBoxItem id={option.id} className={styles.item} textValue={option.label}>
      {({ isSelected }) => (
        <>
          <span>
            {option.label}
            {option.detail && <small>{option.detail}</small>}
          </span>
          {isSelected && <Check aria-hidden className={styles.chosen} />}
        </>
      )}
    </ListBoxItem>
  );
}
