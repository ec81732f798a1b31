import { Radio, RadioGroup } from 'react-aria-components';
import styles from './segments.module.css';

type SegmentsProps<K extends string> = {
  /** The label for screen readers; else labelledBy is the id of the visible one. */
  label?: string;
  labelledBy?: string;
  id?: string;
  describedBy?: string;
  isInvalid?: boolean;
  isRequired?: boolean;
  /** null: none is chosen. */
  value: K | null;
  onChange: (value: K) => void;
  options: { id: K; label: string }[];
};

/** A segmented control: a choice of one of two to four visible options. */
export function Segments<K extends string>({ label, labelledBy, id, describedBy, isInvalid, isRequired, value, onChange, options }: SegmentsProps<K>) {
  return (
    <RadioGroup
      className={styles.segments!}
      id={id}
      aria-label={label}
      aria-labelledby={labelledBy}
      aria-describedby={describedBy}
      isInvalid={isInvalid}
      isRequired={isRequired}
      validationBehavior="aria"
      orientation="horizontal"
      value={value}
      onChange={(next) => onChange(next as K)}
    >
      {options.map((o) => (
        <Radio key={o.id} value={o.id} className={styles.segment!}>
          {o.label}
        </Radio>
      ))}
    </RadioGroup>
  );
}
