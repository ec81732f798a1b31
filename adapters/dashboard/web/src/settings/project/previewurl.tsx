import { useQueries } from '@tanstack/react-query';
import { $api, type Schemas } from '../../api/client';
import { useCollections } from '../../api/queries';
import { entryPage, placeholders } from '../../content/pageurl';
import { useTexts } from '../../i18n/language';
import { TextField } from '../../ui/forms';
import type { FieldOf } from '../../ui/form';
import ui from '../../ui/ui.module.css';

type Project = Schemas['Project'];

/** A field for the URL template of entries' pages on the website, with the URL of an entry as an example. */
export function PreviewUrl({ project, ...field }: { project: Project } & FieldOf<string>) {
  const t = useTexts('settings').previewurl;
  const example = useExample(project, field.value.trim());
  return (
    <TextField
      {...field}
      label={t.label}
      type="url"
      inputMode="url"
      autoComplete="off"
      spellCheck={false}
      placeholder="https://www.example.com/{locale}/{slug}?version={version}"
      hint={
        <>
          {t.hint}
          {example !== undefined && (
            <>
              <br />
              {t.example}{' '}
              <a className={ui.link} href={example} target="_blank" rel="noopener noreferrer">
                {example}
              </a>
            </>
          )}
        </>
      }
    />
  );
}

/** The URL of an entry that has values for all placeholders of the template; undefined if there is none. */
function useExample(project: Project, template: string) {
  const isWeb = /^https?:\/\/[^/?#{}]/.test(template);
  const names = placeholders(template);
  const collections = useCollections(project.id).filter((c) => names.every((name) => system.has(name) || c.fields.some((f) => f.name === name)));
  const entries = useQueries({
    queries: isWeb ? collections.slice(0, 3).map((c) => $api.queryOptions('get', list, { params: { path: { projectId: project.id, collectionId: c.id }, query: { limit: 25, locale: '*' } } }, { staleTime: 60_000 })) : [],
  });
  return entries.flatMap(({ data }, i) => data?.data.map((entry) => entryPage(template, collections[i]!, entry)) ?? []).find((url) => url !== undefined);
}

const list = '/api/projects/{projectId}/collections/{collectionId}/content';
const system = new Set(['id', 'collection', 'locale', 'version']);
