import { getRouteApi } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { api, dataOf, type Schemas } from '../../api/client';
import { asApiError, type ApiError } from '../../api/error';
import { may } from '../../api/rights';
import { Said } from '../../faults/said';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import { Mono, Note, Problem, ProblemLine } from '../../ui/basics';
import { Button } from '../../ui/button';
import { Checkbox, Field, inputClass } from '../../ui/forms';
import { toast } from '../../ui/toast';
import { ProjectPage, Section } from '../parts';
import styles from '../settings.module.css';
import { useRefresh } from './requests';

type Plan = Schemas['SchemaPlan'];
type Change = Plan['changes'][number];
type Planned = { schema: string; name: string; plan: Plan };

const route = getRouteApi('/app/projects/$projectId/schema');

/** The definitions of a Project as a file: downloads it, and plans and applies another one. */
export function SchemaFilePage() {
  const t = useTexts('model').schemafile;
  const { projectId } = route.useParams();
  return (
    <ProjectPage projectId={projectId} title={t.title} lead={t.lead} width="text">
      {(project) => (
        <>
          <Section title={t.present} lead={t.presentLead}>
            <Present projectId={projectId} />
          </Section>
          {may(project, 'collection.manage') && (
            <Section title={t.other} lead={t.otherLead}>
              <Other projectId={projectId} />
            </Section>
          )}
        </>
      )}
    </ProjectPage>
  );
}

function Present({ projectId }: { projectId: number }) {
  const t = useTexts('model').schemafile;
  const [pending, setPending] = useState(false);
  const download = async () => {
    setPending(true);
    try {
      const { schema } = await dataOf(api.GET('/api/projects/{projectId}/schema', { params: { path: { projectId } } }));
      const link = document.createElement('a');
      link.href = `data:application/yaml;charset=utf-8,${encodeURIComponent(schema)}`;
      link.download = 'schema.yaml';
      link.click();
    } catch (caught) {
      toast(<ProblemLine error={caught} />);
    } finally {
      setPending(false);
    }
  };
  return (
    <div>
      <Button icon={<Download aria-hidden />} isPending={pending} onPress={() => void download()}>
        {t.download}
      </Button>
    </div>
  );
}

function Other({ projectId }: { projectId: number }) {
  const t = useTexts('model').schemafile;
  const [planned, setPlanned] = useState<Planned>();
  const [error, setError] = useState<ApiError>();
  const plan = async (file: File | undefined) => {
    setPlanned(undefined);
    setError(undefined);
    if (!file) return;
    try {
      const schema = await file.text();
      setPlanned({ schema, name: file.name, plan: await dataOf(api.POST('/api/projects/{projectId}/schema/plan', { params: { path: { projectId } }, body: { schema } })) });
    } catch (caught) {
      setError(asApiError(caught));
    }
  };
  return (
    <>
      <Field label={t.file} hint={t.fileHint}>
        {/* A file that was changed on the disk can be chosen again. */}
        {(control) => <input {...control} className={inputClass} type="file" accept=".yaml,.yml" onClick={(event) => (event.currentTarget.value = '')} onChange={(event) => void plan(event.target.files?.[0])} />}
      </Field>
      {error && (error.faults.length > 0 ? <Faults error={error} /> : <Problem error={error} />)}
      {planned && <PlanOf key={planned.plan.base + planned.schema} projectId={projectId} planned={planned} onDone={() => setPlanned(undefined)} />}
    </>
  );
}

/** The faults of a file, with their lines. */
function Faults({ error }: { error: ApiError }) {
  const t = useTexts('model').schemafile;
  return (
    <Note tone="bad" role="alert">
      <p>{t.faults}</p>
      <ul className={styles.list}>
        {error.faults.map(({ location, message }) => (
          <li key={location + message}>
            <Mono>{location}</Mono>: <Line text={message} />
          </li>
        ))}
      </ul>
    </Note>
  );
}

/** A fault that can begin with its line in the file. */
function Line({ text }: { text: string }) {
  const t = useTexts('model').schemafile;
  const [, line, fault = text] = /^line (\d+): (.*)$/s.exec(text) ?? [];
  return (
    <>
      {line && `${t.line(line)}: `}
      <Said text={fault} />
    </>
  );
}

function PlanOf({ projectId, planned: { schema, name, plan }, onDone }: { projectId: number; planned: Planned; onDone: () => void }) {
  const t = useTexts('model').schemafile;
  const refresh = useRefresh(projectId);
  const [allowRemove, setAllowRemove] = useState(false);
  const [acknowledge, setAcknowledge] = useState(false);
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<ApiError>();
  if (plan.changes.length + plan.refused.length === 0) return <Note role="status">{t.same}</Note>;
  const apply = async () => {
    setPending(true);
    setError(undefined);
    try {
      await dataOf(api.POST('/api/projects/{projectId}/schema/apply', { params: { path: { projectId } }, body: { schema, base: plan.base, allowRemove, acknowledge } }));
      await refresh();
      toast(t.applied(plan.changes.length));
      onDone();
    } catch (caught) {
      setError(asApiError(caught));
      setPending(false);
    }
  };
  const ready = plan.refused.length === 0 && (allowRemove || !plan.removes) && (acknowledge || plan.acknowledge.length === 0);
  return (
    <section aria-label={t.plan(name)}>
      <h3>{t.plan(name)}</h3>
      <ul className={styles.list}>
        {plan.changes.map((change) => (
          <ChangeOf key={change.path} change={change} />
        ))}
      </ul>
      {plan.refused.length > 0 && (
        <Note tone="bad" role="alert">
          <p>{t.refused}</p>
          <Places places={plan.refused} />
        </Note>
      )}
      {plan.removes && (
        <Checkbox isSelected={allowRemove} onChange={setAllowRemove} hint={t.removesHint}>
          {t.allowRemove}
        </Checkbox>
      )}
      {plan.acknowledge.length > 0 && (
        <>
          <Note tone="wait">
            <p>{t.readers}</p>
            <Places places={plan.acknowledge} />
          </Note>
          <Checkbox isSelected={acknowledge} onChange={setAcknowledge} hint={t.acknowledgeHint}>
            {t.acknowledge}
          </Checkbox>
        </>
      )}
      {error && <Problem error={error} />}
      <div className={styles.below}>
        <Button kind="primary" isPending={pending} isDisabled={!ready} onPress={() => void apply()}>
          {t.apply}
        </Button>
      </div>
    </section>
  );
}

function Places({ places }: { places: Plan['refused'] }) {
  return (
    <ul className={styles.list}>
      {places.map(({ path, message }) => (
        <li key={path + message}>
          <Mono>{path}</Mono>: <Line text={message} />
        </li>
      ))}
    </ul>
  );
}

/** One change: what it is, what it loses, and the options before and after. */
function ChangeOf({ change: { path, change, options, removes, restores, stored, public: shown } }: { change: Change }) {
  const t = useTexts('model').schemafile;
  const format = useFormat();
  return (
    <li>
      <b>{t[change]}</b> <Mono>{path}</Mono>
      {removes && <> {t.lost}</>}
      {restores && <> {t.restores}</>}
      {stored !== undefined && <> {t.entries(format.number(stored), format.number(shown ?? 0))}</>}
      {options.length > 0 && (
        <ul>
          {options.map(({ name, before, after }) => (
            <li key={name}>
              <Mono>{name}</Mono>: <Value value={before} /> → <Value value={after} />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function Value({ value }: { value: unknown }): ReactNode {
  const t = useTexts('model').schemafile;
  return value === null ? t.standard : <Mono>{typeof value === 'string' ? value : JSON.stringify(value)}</Mono>;
}
