import { X } from 'lucide-react';
import type { Schemas } from '../../api/client';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import { IconButton } from '../../ui/button';
import { useForm } from '../../ui/form';
import { Fault, Select, Switch } from '../../ui/forms';
import { toast } from '../../ui/toast';
import { SaveForm } from '../../ui/saveform';
import { Sortable } from '../../ui/sortable';
import { useAcknowledge } from '../acknowledge';
import { Chain } from './chain';
import styles from './languages.module.css';
import { fallbackChain } from './locales';
import { useProjectChange } from '../projectchange';

/** Edits the fallbacks of one locale. */
export function Fallbacks({ project, locale, onClose }: { project: Schemas['Project']; locale: string; onClose: () => void }) {
  const t = useTexts('settings').fallbacks;
  const format = useFormat();
  const change = useProjectChange(project.id);
  const { ask, dialog } = useAcknowledge();
  const form = useForm({ own: project.fallbacks[locale] != null, chain: project.fallbacks[locale] ?? [] }, async ({ own, chain }) => {
    const { [locale]: _, ...others } = project.fallbacks;
    await ask((acknowledge) => change({ fallbacks: own ? { ...others, [locale]: chain } : others, acknowledge }));
    toast(t.saved(format.locale(locale)));
  });
  const { own, chain } = form.values;
  const left = project.locales.filter((other) => other !== locale && other !== project.defaultLocale && !chain.includes(other));
  const fault = form.fault(`fallbacks.${locale}`);
  return (
    <SaveForm form={form} action={t.save} onCancel={onClose} onSaved={onClose}>
      <div className={styles.picture}>
        <small>{t.readersGet}</small>
        <Chain locales={fallbackChain({ ...project, fallbacks: { ...project.fallbacks, [locale]: own ? chain : null } }, locale)} />
      </div>
      <Switch isSelected={own} onChange={(on) => form.set('own', on)} hint={t.ownHint}>
        {t.own}
      </Switch>
      {own && (
        <>
          <Sortable
            label={t.order}
            items={chain.map((id) => ({ id }))}
            nameOf={({ id }) => format.locale(id)}
            onOrder={(items) =>
              form.set(
                'chain',
                items.map(({ id }) => id),
              )
            }
          >
            {({ id }) => (
              <>
                <span className={styles.grow}>{format.locale(id)}</span>
                <IconButton
                  label={t.remove(format.locale(id))}
                  icon={<X aria-hidden />}
                  onPress={() =>
                    form.set(
                      'chain',
                      chain.filter((other) => other !== id),
                    )
                  }
                />
              </>
            )}
          </Sortable>
          {left.length > 0 && (
            <Select label={t.add} placeholder={t.choose} value={null} onChange={(id: string) => form.set('chain', [...chain, id])} options={left.map((id) => ({ id, label: format.locale(id) }))} />
          )}
          <p>{t.last(format.locale(project.defaultLocale))}</p>
        </>
      )}
      {fault && <Fault>{fault}</Fault>}
      {dialog}
    </SaveForm>
  );
}
