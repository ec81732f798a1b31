import { Radio, RadioGroup } from 'react-aria-components';
import styles from './segments.module.css';

type SegmentsProps<K extends string> = { label: string; value: K; onChange: (value: K) => void; options: { id: K; label: string }[] };

/** A segmented control: a choice of one of two to four visible options. */
export function Segments<K extends string>({ label, value, onChange, options }: SegmentsProps<K>) {
  return (
    <RadioGroup className={styles.segments!} aria-label={label} orientation="horizontal" value={value} onChange={(next) => onChange(next as K)}>
      {options.map((o) => (
        <Radio key={o.id} value={o.id} className={styles.segment!}>
          {o.label}
        </Radio>
      ))}
    </RadioGroup>
  );
}
