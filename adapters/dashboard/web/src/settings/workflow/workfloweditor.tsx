import { Plus, Trash2 } from 'lucide-react';
import { Fragment, useRef, useState, type ReactNode } from 'react';
import type { Schemas } from '../../api/client';
import { useTexts } from '../../i18n/language';
import type { WorkflowPlace } from '../../review/deciders';
import { Note } from '../../ui/basics';
import { Button } from '../../ui/button';
import { useForm } from '../../ui/form';
import { Checkbox, Fault, NumberField, Select, Switch, TextField } from '../../ui/forms';
import { toast } from '../../ui/toast';
import { SaveForm } from '../../ui/saveform';
import { TagsField } from '../../ui/tags';
import { TextArea } from '../../ui/textfields';
import { Nothing } from '../parts';
import { useRoleNames } from '../people/roles';
import { ConditionFields } from './condition';
import { bodyOf, deciderOf, maxSteps, newStep, periodOf, roleOf, stepOptionNames, valuesOf, withDecider, type Decider, type Period, type RemindUnit, type Step } from './step';
import { Reasons, Steps, useStepName } from './steps';
import { TryButton } from './trybutton';
import settings from '../settings.module.css';
import { InUse } from '../uses';
import styles from './workflow.module.css';

type EditorProps = {
  /** The current workflow, or the initial values of a new one. */
  workflow: Schemas['Workflow'] | undefined;
  /** Allows saving without a change, for a new workflow that starts as a copy. */
  isNew?: boolean;
  /** The place in which the workflow applies. */
  place: WorkflowPlace;
  customRoles: readonly Schemas['CustomRole'][];
  onSave: (body: Schemas['WorkflowInput']) => Promise<unknown>;
  onCancel?: () => void;
  /** Tells where to assign roles, shown for steps that no user can decide. */
  help: ReactNode;
};

/** Edits the steps of a workflow. */
export function WorkflowEditor({ workflow, isNew, place, customRoles, onSave, onCancel, help }: EditorProps) {
  const t = useTexts('workflow').workfloweditor;
  const [selected, setSelected] = useState<string>();
  const panel = useRef<HTMLDivElement>(null);
  const name = useStepName(customRoles);
  const form = useForm(valuesOf(workflow), async (values) => {
    await onSave(bodyOf(values));
    setSelected(undefined);
    toast(t.saved);
  });
  const { steps, allowSelfApproval, exempt, unpublishing } = form.values;
  const select = (id: string) => {
    setSelected(id);
    setTimeout(() => panel.current?.querySelector('input')?.focus());
  };
  const index = steps.findIndex((step) => step.id === selected);
  const step = steps[index];
  const change = (next: Step) =>
    form.set(
      'steps',
      steps.map((other) => (other.id === next.id ? next : other)),
    );
  const general = form.error?.faults.find((fault) => fault.location === 'steps');
  return (
    <SaveForm form={form} action={t.save} always={isNew} onCancel={onCancel} note={<span>{t.openRequests}</span>} problem={(error) => <InUse error={error} />}>
      {steps.length === 0 ? (
        <Nothing title={t.none}>
          <p>{t.noneHint}</p>
        </Nothing>
      ) : (
        <Steps
          steps={steps}
          customRoles={customRoles}
          place={place}
          selected={selected}
          onSelect={select}
          onOrder={(next) => form.set('steps', next)}
          faulty={(i) => form.fault(`steps[${i}]`) !== undefined}
        />
      )}
      {general && <Fault>{general.message}</Fault>}
      <div className={styles.below}>
        <Button
          icon={<Plus aria-hidden />}
          isDisabled={steps.length >= maxSteps}
          onPress={() => {
            const added = newStep();
            form.set('steps', [...steps, added]);
            select(added.id);
          }}
        >
          {t.add}
        </Button>
        {steps.length > 0 && <TryButton place={place} workflow={bodyOf(form.values)} />}
      </div>
      {step && (
        <div className={styles.selected} ref={panel} role="group" aria-label={t.step(index + 1)}>
          <header>
            <b>{t.step(index + 1)}</b>
            <Button
              kind="quiet"
              icon={<Trash2 aria-hidden />}
              onPress={() => {
                form.set(
                  'steps',
                  steps.filter((other) => other !== step),
                );
                setSelected(undefined);
              }}
            >
              {t.remove(name(step))}
            </Button>
          </header>
          <StepFields step={step} index={index} inDepartment={place.departmentId !== null} customRoles={customRoles} fault={form.fault} onChange={change} />
          {step.unreachable && (
            <Note tone="bad">
              {t.unreachable} <Reasons of={step} />. {help}
            </Note>
          )}
        </div>
      )}
      <Switch isSelected={allowSelfApproval} onChange={(on) => form.set('allowSelfApproval', on)} hint={t.selfHint}>
        {t.self}
      </Switch>
      <Select
        label={t.unpublishing}
        hint={t.unpublishingHint}
        value={unpublishing}
        onChange={(by: typeof unpublishing) => form.set('unpublishing', by)}
        options={(['free', 'admins', 'reviewed'] as const).map((id) => ({ id, label: t.unpublishers[id] }))}
      />
      <TagsField
        label={t.exempt}
        hint={t.exemptHint}
        value={exempt}
        onChange={(slugs) => form.set('exempt', slugs)}
        fault={form.error?.faults.find(({ location }) => location.startsWith('exempt.'))?.message}
      />
    </SaveForm>
  );
}

type FieldsProps = {
  step: Step;
  index: number;
  inDepartment: boolean;
  customRoles: readonly Schemas['CustomRole'][];
  fault: (location: string) => string | undefined;
  onChange: (step: Step) => void;
};

function StepFields({ step, index, inDepartment, customRoles, fault, onChange }: FieldsProps) {
  const { workfloweditor: t, options } = useTexts('workflow');
  const roles = useRoleNames();
  const kinds = (['admin', 'department_admin', 'tenant_admin'] as const).filter((kind) => inDepartment || kind !== 'department_admin');
  const at = `steps[${index}]`;
  const deciders = {
    options: kinds.map((id): { id: Decider; label: string } => ({ id, label: roles[id] })),
    groups: customRoles.length > 0 ? [{ title: t.customRoles, options: customRoles.map((role): { id: Decider; label: string } => ({ id: `custom${role.id}`, label: role.name })) }] : [],
  };
  const { escalate } = step;
  return (
    <>
      <TextField label={t.label} hint={t.labelHint} maxLength={200} value={step.label} onChange={(label) => onChange({ ...step, label })} fault={fault(`${at}.stepLabel`)} />
      <Select
        label={t.who}
        hint={step.customRoleId === null ? t.whoHint : t.customHint}
        value={deciderOf(step)}
        onChange={(decider: Decider) => onChange(withDecider(step, decider))}
        {...deciders}
        fault={fault(`${at}.requiredRoleKind`) ?? fault(`${at}.requiredCustomRoleId`)}
      />
      {stepOptionNames.map((option) => (
        <Fragment key={option}>
          <Checkbox isSelected={step[option]} onChange={(on) => onChange({ ...step, [option]: on })} hint={options[option].hint}>
            {options[option].label}
          </Checkbox>
          {/* A signature replaces the proof, and so comes next to it. */}
          {option === 'reauthenticate' && (
            <TextArea
              label={t.meanings}
              hint={t.meaningsHint}
              value={step.meanings.join('\n')}
              onChange={(text) => onChange({ ...step, meanings: text === '' ? [] : text.split('\n') })}
              fault={fault(`${at}.signature`)}
            />
          )}
        </Fragment>
      ))}
      <NumberField label={t.approvals} hint={t.approvalsHint} value={step.approvals} onChange={(approvals) => onChange({ ...step, approvals })} fault={fault(`${at}.approvals`) && t.approvalsFault} />
      {index > 0 && (
        <Checkbox isSelected={step.together} onChange={(together) => onChange({ ...step, together })} hint={t.togetherHint}>
          {t.together}
        </Checkbox>
      )}
      <ConditionFields step={step} at={at} fault={fault} onChange={onChange} />
      <PeriodFields label={t.remind} unitLabel={t.remindUnit} hint={t.remindHint} value={step.remind} fault={fault(`${at}.remindAfter`) && t.remindFault} onChange={(remind) => onChange({ ...step, remind })} />
      <PeriodFields label={t.due} unitLabel={t.dueUnit} hint={t.dueHint} value={step.due} fault={fault(`${at}.dueIn`) && t.dueFault} onChange={(due) => onChange({ ...step, due })} />
      <Checkbox isSelected={escalate !== null} onChange={(on) => onChange({ ...step, escalate: on ? { after: periodOf(72), roleKind: 'tenant_admin', customRoleId: null } : null })} hint={t.escalateHint}>
        {t.escalate}
      </Checkbox>
      {escalate && (
        <>
          <PeriodFields label={t.escalateAfter} unitLabel={t.escalateUnit} value={escalate.after} fault={fault(`${at}.escalate.after`) && t.dueFault} onChange={(after) => onChange({ ...step, escalate: { ...escalate, after } })} />
          <Select
            label={t.escalateTo}
            value={deciderOf(escalate)}
            onChange={(decider: Decider) => onChange({ ...step, escalate: { ...escalate, ...roleOf(decider) } })}
            {...deciders}
            fault={fault(`${at}.escalate.requiredRoleKind`) ?? fault(`${at}.escalate.requiredCustomRoleId`)}
          />
        </>
      )}
      {fault(`${at}.stepOrder`) && <Fault>{fault(`${at}.stepOrder`)}</Fault>}
    </>
  );
}

type PeriodProps = { label: string; unitLabel: string; hint?: string; value: Period; fault: string | undefined; onChange: (value: Period) => void };

/** The fields for a time. */
function PeriodFields({ label, unitLabel, hint, value, fault, onChange }: PeriodProps) {
  const t = useTexts('workflow').workfloweditor;
  return (
    <div className={settings.pair}>
      <NumberField label={label} hint={hint} value={value.count} onChange={(count) => onChange({ ...value, count })} fault={fault} />
      <Select label={unitLabel} value={value.unit} onChange={(unit: RemindUnit) => onChange({ ...value, unit })} options={(['hours', 'days'] as const).map((id) => ({ id, label: t.units[id] }))} />
    </div>
  );
}
