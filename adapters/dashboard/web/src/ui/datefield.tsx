import { lazy, Suspense, type ReactNode } from 'react';
import type { DateBoxProps } from './datebox';
import { Field, inputClass } from './textfields';

// Loaded on demand: it is large.
const Box = lazy(() => import('./datebox'));

/** A control for a date, a time of day or a point in time, without a label. */
export function DateBox(props: DateBoxProps) {
  const { id, 'aria-label': label } = props.attributes;
  return (
    <Suspense fallback={<input id={id} aria-label={label} className={inputClass} readOnly />}>
      <Box {...props} />
    </Suspense>
  );
}

type DateFieldProps = Omit<DateBoxProps, 'attributes'> & { label: ReactNode; aside?: ReactNode; hint?: ReactNode; fault?: ReactNode; required?: boolean };

/** A field for a date, a time of day or a point in time. */
export function DateField({ label, aside, hint, fault, required, ...box }: DateFieldProps) {
  return (
    <Field {...{ label, aside, hint, fault, required }}>
      {(attributes) => <DateBox {...box} attributes={attributes} />}
    </Field>
  );
}
