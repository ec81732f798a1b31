import { useTexts } from '../../i18n/language';
import { Checkbox, Fault } from '../../ui/forms';
import { TagsField } from '../../ui/tags';
import { noCondition, type Condition, type Step } from './step';

type ConditionProps = { step: Step; at: string; fault: (location: string) => string | undefined; onChange: (step: Step) => void };

const lists = ['collections', 'fields', 'locales', 'actions'] as const;
const actions = ['first', 'publish', 'unpublish'] as const;

/** The changes that a step applies to. */
export function ConditionFields({ step, at, fault, onChange }: ConditionProps) {
  const t = useTexts('conditions');
  const { when } = step;
  const set = (change: Partial<Condition>) => when && onChange({ ...step, when: { ...when, ...change } });
  return (
    <>
      <Checkbox isSelected={when !== null} onChange={(some) => onChange({ ...step, when: some ? noCondition : null })} hint={t.someHint}>
        {t.some}
      </Checkbox>
      {when && (
        <>
          <TagsField label={t.collectionsLabel} hint={t.collectionsHint} value={when.collections} onChange={(collections) => set({ collections })} fault={fault(`${at}.when.collections`)} />
          <TagsField label={t.fieldsLabel} hint={t.fieldsHint} value={when.fields} onChange={(fields) => set({ fields })} fault={fault(`${at}.when.fields`)} />
          <TagsField label={t.localesLabel} hint={t.localesHint} value={when.locales} onChange={(locales) => set({ locales })} fault={fault(`${at}.when.locales`)} />
          {actions.map((action) => (
            <Checkbox
              key={action}
              isSelected={when.actions.includes(action)}
              onChange={(on) => set({ actions: actions.filter((other) => (other === action ? on : when.actions.includes(other))) })}
            >
              {t.actions[action]}
            </Checkbox>
          ))}
          {lists.every((name) => when[name].length === 0) && fault(`${at}.when`) && <Fault>{t.empty}</Fault>}
        </>
      )}
    </>
  );
}
