import type { Schemas } from '../../api/client';
import { useCollections } from '../../api/queries';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import type { Form } from '../../ui/form';
import { Checkbox, Fault, NumberField, Switch, TextField } from '../../ui/forms';
import ui from '../../ui/ui.module.css';
import settings from '../settings.module.css';
import { EventsField } from './eventsfield';
import { exampleBody } from './example';
import { HeadersField } from './headersfield';
import type { WebhookValues } from './values';
import styles from './webhooks.module.css';

type Props = {
  form: Form<WebhookValues>;
  project: Schemas['Project'];
  /** The names of the headers that the webhook has. */
  headers?: readonly string[];
};

/** The inputs for a webhook, with an example of what it will get. */
export function WebhookFields({ form, project, headers = [] }: Props) {
  const t = useTexts('webhooks').webhookform;
  const format = useFormat();
  const collections = useCollections(project.id);
  const { values, set } = form;
  return (
    <>
      <TextField label={t.name} hint={t.nameHint} required autoComplete="off" {...form.field('name')} />
      <TextField label={t.url} hint={t.urlHint} required type="url" autoComplete="off" spellCheck={false} {...form.field('url')} />
      <EventsField {...form.field('events')} />
      <div className={settings.pair}>
        {collections.length > 0 && <Choice label={t.collections} hint={t.collectionsHint} options={collections.map((c) => ({ id: c.slug, label: c.name }))} {...form.field('collections')} />}
        {project.locales.length > 1 && <Choice label={t.locales} hint={t.localesHint} options={project.locales.map((id) => ({ id, label: `${format.locale(id)} (${id})` }))} {...form.field('locales')} />}
      </div>
      <Coalesce form={form} />
      <Switch isSelected={values.imports} onChange={(on) => set('imports', on)} hint={t.importsHint}>
        {t.imports}
      </Switch>
      <HeadersField form={form} present={headers} />
      <Switch isSelected={values.active} onChange={(on) => set('active', on)} hint={t.activeHint}>
        {t.active}
      </Switch>
      <Example values={values} project={project} collections={collections} />
    </>
  );
}

type ChoiceProps = { label: string; hint: string; options: { id: string; label: string }[]; value: string[]; onChange: (value: string[]) => void; fault: string | undefined };

/** A field for some of a few options. */
function Choice({ label, hint, options, value, onChange, fault }: ChoiceProps) {
  return (
    <fieldset className={settings.group}>
      <legend>{label}</legend>
      <p className={ui.hint}>{hint}</p>
      {options.map(({ id, label }) => (
        <Checkbox key={id} isSelected={value.includes(id)} onChange={(on) => onChange(on ? [...value, id] : value.filter((one) => one !== id))}>
          {label}
        </Checkbox>
      ))}
      {fault && <Fault>{fault}</Fault>}
    </fieldset>
  );
}

/** The fields for events that are gathered into one message. */
function Coalesce({ form }: { form: Form<WebhookValues> }) {
  const t = useTexts('webhooks').webhookform;
  const { coalesce } = form.values;
  const set = (change: Partial<typeof coalesce>) => form.set('coalesce', { ...coalesce, ...change });
  return (
    <>
      <Switch isSelected={coalesce.on} onChange={(on) => set({ on })} hint={t.gatherHint}>
        {t.gather}
      </Switch>
      {coalesce.on && (
        <div className={settings.pair}>
          <NumberField label={t.quiet} hint={t.quietHint} value={coalesce.quiet} onChange={(quiet) => set({ quiet })} fault={form.fault('coalesce.quiet')} />
          <NumberField label={t.most} hint={t.mostHint} value={coalesce.most} onChange={(most) => set({ most })} fault={form.fault('coalesce.most')} />
        </div>
      )}
    </>
  );
}

/** An example of the body of a request with the present values. */
function Example({ values, project, collections }: { values: WebhookValues; project: Schemas['Project']; collections: Schemas['Collection'][] }) {
  const t = useTexts('webhooks').webhookform;
  const body = exampleBody({ ...values, gathers: values.coalesce.on }, project, collections);
  return (
    <div className={styles.body}>
      <span className={ui.label}>{t.example}</span>
      {body ? (
        <pre tabIndex={0} role="region" aria-label={t.example}>
          {JSON.stringify(body, null, 2)}
        </pre>
      ) : (
        <p>{t.noExample}</p>
      )}
    </div>
  );
}
