import { ChevronsUpDown } from 'lucide-react';
import { useId, type ReactNode } from 'react';
import { Button, ComboBox as AriaComboBox, Input, ListBox, Popover } from 'react-aria-components';
import styles from './combobox.module.css';
import { Fault, inputClass, OptionItem, type Option } from './forms';
import ui from './ui.module.css';

type ComboBoxProps = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** Called with the text while it changes. */
  onType?: (text: string) => void;
  options: readonly Option[];
  /** Whether an option matches the typed text. */
  matches: (option: Option, text: string) => boolean;
  /** The text of the list if no option matches. */
  nothing: string;
  hint?: ReactNode;
  fault?: ReactNode;
};

/** A field for one of many options, which the user filters by typing. */
export function ComboBox({ label, value, onChange, onType, options, matches, nothing, hint, fault }: ComboBoxProps) {
  const id = useId();
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ');
  const byId = new Map(options.map((option) => [option.id, option]));
  return (
    <AriaComboBox
      className={ui.field!}
      aria-labelledby={`${id}-label`}
      aria-describedby={described || undefined}
      defaultItems={options}
      onInputChange={onType}
      selectedKey={value}
      onSelectionChange={(key) => key !== null && onChange(String(key))}
      defaultFilter={(textValue, text) => {
        const option = options.find((each) => each.label === textValue);
        return option !== undefined && matches(option, text);
      }}
      allowsEmptyCollection
      menuTrigger="focus"
      isInvalid={!!fault}
    >
      <span className={ui.label} id={`${id}-label`}>
        {label}
      </span>
      <div className={styles.box}>
        <Input className={inputClass} onFocus={(event) => event.currentTarget.select()} />
        <Button className={styles.button!}>
          <ChevronsUpDown aria-hidden />
        </Button>
      </div>
      {hint && (
        <div className={ui.hint} id={`${id}-hint`}>
          {hint}
        </div>
      )}
      {fault && <Fault id={`${id}-fault`}>{fault}</Fault>}
      <Popover className={ui.popover!}>
        <ListBox<Option> className={ui.list!} renderEmptyState={() => <div className={styles.nothing}>{nothing}</div>}>
          {({ id: key }) => <OptionItem option={byId.get(key)!} />}
        </ListBox>
      </Popover>
    </AriaComboBox>
  );
}
