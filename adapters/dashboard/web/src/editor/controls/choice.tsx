import { ChevronsUpDown } from 'lucide-react';
import { Button, ListBox, Popover, Select, SelectValue } from 'react-aria-components';
import { useTexts } from '../../i18n/language';
import { inputClass, OptionItem } from '../../ui/forms';
import ui from '../../ui/ui.module.css';
import type { ControlProps } from './simple';

/** A control for one of the choices of a field. */
export function ChoiceControl({ field, attributes, value, onChange }: ControlProps) {
  const t = useTexts('editor').simple;
  const { id, 'aria-label': label, 'aria-describedby': describedBy, 'aria-invalid': invalid } = attributes;
  const current = typeof value === 'string' ? value : '';
  const choices = [...new Set([...(field.choices ?? []), ...(current === '' ? [] : [current])])];
  return (
    <Select
      {...(label ? { 'aria-label': label } : { 'aria-labelledby': `${id}-label` })}
      selectedKey={current}
      onSelectionChange={(key) => onChange(key === '' ? null : key)}
      isInvalid={invalid}
      isRequired={field.required}
    >
      <Button id={id} className={`${inputClass} ${ui.select}`} aria-describedby={describedBy}>
        <SelectValue />
        <ChevronsUpDown aria-hidden />
      </Button>
      <Popover className={ui.popover!}>
        <ListBox className={ui.list!}>
          {[{ id: '', label: t.none }, ...choices.map((choice) => ({ id: choice, label: choice }))].map((option) => (
            <OptionItem key={option.id} option={option} />
          ))}
        </ListBox>
      </Popover>
    </Select>
  );
}
