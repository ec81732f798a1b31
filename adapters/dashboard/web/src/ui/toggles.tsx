import { Check, Minus } from 'lucide-react';
import type { ReactNode } from 'react';
import { Checkbox as AriaCheckbox, Switch as AriaSwitch } from 'react-aria-components';
import styles from './ui.module.css';

type ToggleProps = { isSelected: boolean; onChange: (value: boolean) => void; isDisabled?: boolean; children: ReactNode; hint?: ReactNode };

export function Checkbox({ isSelected, isIndeterminate, onChange, isDisabled, children, hint, ...label }: Omit<ToggleProps, 'children'> & { children?: ReactNode; isIndeterminate?: boolean; 'aria-label'?: string; excludeFromTabOrder?: boolean }) {
  return (
    <AriaCheckbox {...label} className={styles.check!} isSelected={isSelected} isIndeterminate={isIndeterminate} onChange={onChange} isDisabled={isDisabled}>
      <span className={styles.box}>{isIndeterminate ? <Minus aria-hidden /> : <Check aria-hidden />}</span>
      {children && (
        <span>
          {children}
          {hint && <small>{hint}</small>}
        </span>
      )}
    </AriaCheckbox>
  );
}

export function Switch({ isSelected, onChange, isDisabled, children, hint }: ToggleProps) {
  return (
    <AriaSwitch className={styles.check!} isSelected={isSelected} onChange={onChange} isDisabled={isDisabled}>
      <span className={styles.track} />
      <span>
        {children}
        {hint && <small>{hint}</small>}
      </span>
    </AriaSwitch>
  );
}
