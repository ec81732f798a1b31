import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import { useProject } from '../api/queries';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { useHeldRole } from '../ui/heldrole';
import type { Names } from './names';
import type { Event, Scope } from './queries';

type Props = { event: Event; scope: Scope; names: Names; who: ReactNode };

/** What happened, in a sentence with a link to the thing. */
export function Sentence({ event, scope, names, who }: Props) {
  const said: Partial<Record<string, string>> = useTexts('audit').said;
  const unknown = useTexts('audit').sentence.unknown;
  const ofRole: Partial<Record<string, string>> = useTexts('audit').ofRole;
  const role = useHeldRole()({ event: event.type, role: event.role, place: event.place });
  const parts = ((role && ofRole[event.type]) ?? said[event.type] ?? unknown).split(/(\{\w+\})/);
  return parts.map((part, i) => <Fragment key={i}>{part === '{who}' ? who : part === '{what}' ? <Thing event={event} scope={scope} names={names} /> : part === '{type}' ? event.type : part === '{role}' ? <b>{role}</b> : part}</Fragment>);
}

/** What an event is about. In the list of a tenant, the link to a thing of a Project leads to the list of that Project, which knows its names. */
function Thing({ event, scope, names }: Omit<Props, 'who'>) {
  const text = useThingName(event, names);
  const project = useProject(event.projectId ?? 0);
  if (event.projectId && !project) return <b>{text}</b>; // deleted, or not visible
  if (event.projectId && scope.kind === 'tenant') {
    return (
      <Link to="/projects/$projectId/audit" params={{ projectId: event.projectId }} search={{ entry: event.entryId }}>
        {text}
      </Link>
    );
  }
  return <ThingLink event={event} names={names} text={text} />;
}

/** The name of what an event is about; else its kind and id. */
function useThingName(event: Event, names: Names): string {
  const t = useTexts('audit').sentence;
  const format = useFormat();
  const project = useProject(event.projectId ?? 0);
  const { collection = '', entryId, locale, releaseId = 0, slug, subjectId = 0, collections = [], counts = { created: 0, updated: 0, refused: 0 } } = event;
  const named = names.collection(collection)?.name ?? collection;
  if (entryId) return t.entry(names.entry(entryId) ?? slug ?? '', named, locale ? format.locale(locale) : '');
  const kind = event.type.slice(0, event.type.indexOf('.'));
  switch (kind) {
    case 'collection':
      return t.collection(named);
    case 'project':
    case 'workflow':
      return t.project(project?.name ?? '');
    case 'tenant':
      return t.tenant;
    case 'role':
      return event.type === 'role.given' || event.type === 'role.taken' ? (names.user(subjectId) ?? t.user) : '';
    case 'user':
    case 'member':
    case 'session':
    case 'factor':
    case 'recovery':
      return names.user(subjectId) ?? t.user;
    case 'token':
      return t.token(names.token(subjectId) ?? '');
    case 'webhook':
      return t.webhook(names.webhook(subjectId) ?? '');
    case 'media':
      return t.media(names.file(subjectId) ?? '');
    case 'component':
      return t.component(names.component(subjectId) ?? '');
    case 'release':
    case 'request':
    case 'comment':
      return t.release(names.release(releaseId) ?? '');
    case 'import':
      return t.imported(collections.map((one) => names.collection(one)?.name ?? one).join(', '), format.number(counts.created), format.number(counts.updated), format.number(counts.refused));
    case 'department':
      return t.department(names.department(subjectId) ?? '');
    case 'invitation':
      return t.user;
    default:
      return '';
  }
}

/** A link to what an event is about, if that still is somewhere. */
function ThingLink({ event, names, text }: { event: Event; names: Names; text: string }) {
  const { projectId = 0, entryId = 0, subjectId = 0, tenantId = 0 } = event;
  const collectionId = names.collection(event.collection ?? '')?.id;
  const [kind, change] = event.type.split('.');
  const gone = change === 'deleted' || change === 'destroyed';
  if (gone) return <b>{text}</b>;
  if (entryId && collectionId) {
    const params = { projectId, collectionId, entryId };
    if (kind === 'request' || kind === 'comment') return <Link to="/review/$projectId/$collectionId/$entryId" params={params} children={text} />;
    return <Link to="/projects/$projectId/collections/$collectionId/entries/$entryId" params={params} children={text} />;
  }
  if (event.releaseId && !entryId) return <Link to="/projects/$projectId/releases/$releaseId" params={{ projectId, releaseId: event.releaseId }} children={text} />;
  if (kind === 'collection' && collectionId) return <Link to="/projects/$projectId/collections/$collectionId/definition" params={{ projectId, collectionId }} children={text} />;
  if (kind === 'media') return <Link to="/projects/$projectId/media" params={{ projectId }} search={{ item: subjectId }} children={text} />;
  if (kind === 'webhook') return <Link to="/projects/$projectId/webhooks/$webhookId" params={{ projectId, webhookId: subjectId }} children={text} />;
  if (kind === 'token') return <Link to="/projects/$projectId/tokens" params={{ projectId }} children={text} />;
  if (kind === 'member' && projectId) return <Link to="/projects/$projectId/members" params={{ projectId }} children={text} />;
  if (kind === 'workflow' && projectId) return <Link to="/projects/$projectId/workflow" params={{ projectId }} children={text} />;
  if (kind === 'project' && projectId) return <Link to="/projects/$projectId/settings" params={{ projectId }} children={text} />;
  if (kind === 'department') return <Link to="/organisation/departments/$departmentId" params={{ departmentId: subjectId }} children={text} />;
  if (kind === 'user') return <Link to="/organisation/users" search={{ tenant: tenantId || undefined }} children={text} />;
  return <b>{text}</b>;
}
