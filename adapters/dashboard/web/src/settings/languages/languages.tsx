import { getRouteApi } from '@tanstack/react-router';
import { Ellipsis, Languages as Icon, Plus } from 'lucide-react';
import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { asApiError, type ApiError } from '../../api/error';
import { may } from '../../api/rights';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import { Chip, Mono, Note, Problem } from '../../ui/basics';
import { Button, IconButton } from '../../ui/button';
import { Cancelled, useForm } from '../../ui/form';
import { Dialog, Menu, MenuItem } from '../../ui/overlays';
import { toast } from '../../ui/toast';
import { SaveForm } from '../../ui/saveform';
import { useAcknowledge } from '../acknowledge';
import { Chain } from './chain';
import { Fallbacks } from './fallbacks';
import styles from './languages.module.css';
import { LanguagePicker } from './languagepicker';
import { fallbackChain } from './locales';
import { ProjectPage, Row, Rows } from '../parts';
import { useProjectChange } from '../projectchange';

type Project = Schemas['Project'];

const route = getRouteApi('/app/projects/$projectId/languages');

/** The locales of a Project and their fallbacks. */
export function LanguagesPage() {
  const t = useTexts('settings').languages;
  const { projectId } = route.useParams();
  const [adding, setAdding] = useState(false);
  return (
    <ProjectPage
      projectId={projectId}
      title={t.title}
      lead={t.lead}
      actions={(project) =>
        may(project, 'project.update') && (
          <Button kind="primary" icon={<Plus aria-hidden />} onPress={() => setAdding(true)}>
            {t.add}
          </Button>
        )
      }
    >
      {(project) => (
        <>
          <List project={project} />
          <Dialog title={t.add} isOpen={adding} onClose={() => setAdding(false)}>
            <Add project={project} onClose={() => setAdding(false)} />
          </Dialog>
        </>
      )}
    </ProjectPage>
  );
}

function List({ project }: { project: Project }) {
  const t = useTexts('settings').languages;
  const format = useFormat();
  const change = useProjectChange(project.id);
  const { ask, dialog } = useAcknowledge();
  const [edited, setEdited] = useState<string>();
  const [error, setError] = useState<ApiError>();
  const setDefault = async (locale: string) => {
    setError(undefined);
    try {
      await ask((acknowledge) => change({ defaultLocale: locale, acknowledge }));
      toast(t.isDefault(format.locale(locale)));
    } catch (caught) {
      if (!(caught instanceof Cancelled)) setError(asApiError(caught));
    }
  };
  return (
    <>
      {error && <Problem error={error} />}
      {!project.localesReady && <Note role="status">{t.filling}</Note>}
      <Rows label={t.title}>
        {project.locales.map((locale) => (
          <Row
            key={locale}
            icon={<Icon aria-hidden />}
            title={
              <>
                {format.locale(locale)}
                <Mono>{locale}</Mono>
                {locale === project.defaultLocale && <Chip tone="accent">{t.default}</Chip>}
                {project.pendingFallbacks[locale] && <Chip tone="wait">{t.pending}</Chip>}
              </>
            }
            meta={locale !== project.defaultLocale && <Chain locales={fallbackChain(project, locale)} />}
            aside={project.fallbacks[locale] ? t.own : undefined}
            actions={
              may(project, 'project.update') &&
              locale !== project.defaultLocale && (
                <Menu label={t.actions(format.locale(locale))} trigger={<IconButton label={t.actions(format.locale(locale))} icon={<Ellipsis aria-hidden />} />}>
                  <MenuItem onAction={() => setEdited(locale)}>{t.change}</MenuItem>
                  <MenuItem onAction={() => void setDefault(locale)}>{t.makeDefault}</MenuItem>
                </Menu>
              )
            }
          />
        ))}
      </Rows>
      <Dialog title={edited ? t.fallbacksOf(format.locale(edited)) : ''} isOpen={edited !== undefined} onClose={() => setEdited(undefined)}>
        {edited && <Fallbacks project={project} locale={edited} onClose={() => setEdited(undefined)} />}
      </Dialog>
      {dialog}
    </>
  );
}

function Add({ project, onClose }: { project: Project; onClose: () => void }) {
  const t = useTexts('settings').languages;
  const format = useFormat();
  const change = useProjectChange(project.id);
  const { ask, dialog } = useAcknowledge();
  const form = useForm({ locales: '' }, async ({ locales }) => {
    await ask((acknowledge) => change({ locales: [...project.locales, locales], acknowledge }));
    toast(t.added(format.locale(locales)));
  });
  const tag = form.values.locales;
  return (
    <SaveForm form={form} action={t.add} onCancel={onClose} onSaved={onClose}>
      <LanguagePicker label={t.tag} hint={t.tagHint} value={form.values.locales} onChange={(locale) => form.set('locales', locale)} taken={project.locales} fault={form.fault('locales')} />
      {tag && (
        <div className={styles.picture}>
          <small>{t.readersGet(format.locale(tag))}</small>
          <Chain locales={fallbackChain({ ...project, locales: [...project.locales, tag] }, tag)} />
        </div>
      )}
      <p>{t.stays}</p>
      {dialog}
    </SaveForm>
  );
}
