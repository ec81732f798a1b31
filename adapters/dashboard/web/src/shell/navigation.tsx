import { useQuery } from '@tanstack/react-query';
import { Link, useMatchRoute, useNavigate } from '@tanstack/react-router';
import {
  Blocks,
  Calendar,
  ChartNoAxesColumn,
  ChevronsUpDown,
  Image,
  Inbox,
  KeyRound,
  Languages,
  Layers,
  LogOut,
  Menu as MenuIcon,
  Package,
  Route as RouteIcon,
  ScrollText,
  Settings,
  UserRound,
  Users,
  Webhook,
  Building2,
} from 'lucide-react';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { api, type Schemas } from '../api/client';
import { asApiError } from '../api/error';
import { collectionsQuery, queryClient, summaryQuery, useProjects, useSession } from '../api/queries';
import { may } from '../api/rights';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Avatar, ProblemLine } from '../ui/basics';
import { IconButton } from '../ui/button';
import { Menu, MenuItem } from '../ui/overlays';
import { toast } from '../ui/toast';
import { CollectionIcon } from './collectionicon';
import { useLastProject } from './lastproject';
import { Seal } from './seal';
import styles from './shell.module.css';

/** The main navigation, beside every page. */
export function Side() {
  const t = useTexts('common').navigation;
  const format = useFormat();
  const summary = useQuery(summaryQuery).data;
  const waits = (summary?.pending ?? 0) + (summary?.returnedToMe ?? 0); // what needs the user
  const project = useLastProject();
  const session = useSession();
  const defining = useDefining();
  // A review belongs to the inbox, although its path is not below it.
  const reviewing = Boolean(useMatchRoute()({ to: '/review/$projectId/$collectionId/$entryId' }));
  return (
    <nav className={styles.side} aria-label={t.main}>
      <Link to="/inbox" className={styles.brand}>
        <Seal />
        Imprimatur
      </Link>
      <ul>
        <Item to="/inbox" current={reviewing} icon={<Inbox aria-hidden />} count={waits > 0 ? format.number(waits) : undefined}>
          {t.inbox}
        </Item>
        <Item to="/calendar" icon={<Calendar aria-hidden />}>
          {t.calendar}
        </Item>
      </ul>
      {project && (
        <>
          <ProjectSwitch project={project} />
          <Content project={project} />
          <section>
            <h2>{t.project}</h2>
            <ul>
              <Item to="/projects/$projectId" project={project.id} exact icon={<ChartNoAxesColumn aria-hidden />}>
                {t.overview}
              </Item>
              <Item to="/projects/$projectId/workflow" project={project.id} icon={<RouteIcon aria-hidden />}>
                {t.workflow}
              </Item>
              <Item to="/projects/$projectId/collections" project={project.id} exact={!defining} icon={<Layers aria-hidden />}>
                {t.collections}
              </Item>
              <Item to="/projects/$projectId/components" project={project.id} icon={<Blocks aria-hidden />}>
                {t.components}
              </Item>
              <Item to="/projects/$projectId/members" project={project.id} icon={<Users aria-hidden />}>
                {t.members}
              </Item>
              <Item to="/projects/$projectId/tokens" project={project.id} icon={<KeyRound aria-hidden />}>
                {t.tokens}
              </Item>
              {may(project, 'webhook.manage') && (
                <Item to="/projects/$projectId/webhooks" project={project.id} icon={<Webhook aria-hidden />}>
                  {t.webhooks}
                </Item>
              )}
              {may(project, 'project.events.view') && (
                <Item to="/projects/$projectId/audit" project={project.id} icon={<ScrollText aria-hidden />}>
                  {t.audit}
                </Item>
              )}
              <Item to="/projects/$projectId/languages" project={project.id} icon={<Languages aria-hidden />}>
                {t.languages}
              </Item>
              <Item to="/projects/$projectId/settings" project={project.id} icon={<Settings aria-hidden />}>
                {t.settings}
              </Item>
            </ul>
          </section>
        </>
      )}
      {(session.superAdmin || session.roles.some((r) => r.projectId === null)) && (
        <section>
          <ul>
            <Item to="/organisation" icon={<Building2 aria-hidden />}>
              {t.organisation}
            </Item>
          </ul>
        </section>
      )}
      <Me />
    </nav>
  );
}

type ItemProps = { to: string; project?: number; collection?: number; exact?: boolean; current?: boolean; icon: ReactNode; count?: string; children: ReactNode };

function Item({ to, project, collection, exact = false, current = false, icon, count, children }: ItemProps) {
  return (
    <li>
      <Link to={to as never} params={{ projectId: project, collectionId: collection } as never} activeOptions={{ exact, includeSearch: false }} activeProps={{ 'aria-current': 'page' }} aria-current={current || undefined}>
        {icon}
        <span>{children}</span>
        {count && <span className={styles.count}>{count}</span>}
      </Link>
    </li>
  );
}

/** Whether the page is the definition of a collection, whose path is below that of its entries. */
function useDefining() {
  return Boolean(useMatchRoute()({ to: '/projects/$projectId/collections/$collectionId/definition' }));
}

function Content({ project }: { project: Schemas['Project'] }) {
  const t = useTexts('common').navigation;
  const defining = useDefining();
  const collections = useQuery(collectionsQuery(project.id)).data?.data ?? [];
  return (
    <section>
      <h2>{t.content}</h2>
      <ul>
        {collections.map((c) => (
          <Item key={c.id} to="/projects/$projectId/collections/$collectionId" project={project.id} collection={c.id} exact={defining} icon={<CollectionIcon icon={c.icon} />}>
            {c.name}
          </Item>
        ))}
        <Item to="/projects/$projectId/media" project={project.id} icon={<Image aria-hidden />}>
          {t.media}
        </Item>
        {may(project, 'release.view') && (
          <Item to="/projects/$projectId/releases" project={project.id} icon={<Package aria-hidden />}>
            {t.releases}
          </Item>
        )}
      </ul>
    </section>
  );
}

function ProjectSwitch({ project }: { project: Schemas['Project'] }) {
  const t = useTexts('common').navigation;
  const navigate = useNavigate();
  const projects = useProjects();
  return (
    <Menu
      label={t.projects}
      placement="bottom start"
      value={project.id}
      onChange={(id) => void navigate({ to: '/projects/$projectId', params: { projectId: Number(id) } })}
      trigger={
        <AriaButton className={styles.project!} aria-label={t.switchProject(project.name)}>
          <span>{project.name}</span>
          <ChevronsUpDown aria-hidden />
        </AriaButton>
      }
    >
      {projects.map((p) => (
        <MenuItem key={p.id} id={p.id} textValue={p.name}>
          <span>{p.name}</span>
        </MenuItem>
      ))}
    </Menu>
  );
}

function Me() {
  const t = useTexts('common').navigation;
  const session = useSession();
  const navigate = useNavigate();
  const signOut = async () => {
    try {
      await api.DELETE('/api/session');
    } catch (caught) {
      if (asApiError(caught).status !== 401) return toast(<ProblemLine error={caught} />);
    }
    queryClient.clear();
    location.assign('/dashboard/sign-in');
  };
  return (
    <Menu
      label={session.name}
      placement="top start"
      trigger={
        <AriaButton className={styles.me!}>
          <Avatar name={session.name} />
          <span>
            {session.name}
            <small>{session.email}</small>
          </span>
        </AriaButton>
      }
    >
      <MenuItem textValue={t.account} onAction={() => void navigate({ to: '/account' })}>
        <UserRound aria-hidden />
        {t.account}
      </MenuItem>
      <MenuItem textValue={t.signOut} onAction={() => void signOut()}>
        <LogOut aria-hidden />
        {t.signOut}
      </MenuItem>
    </Menu>
  );
}

const Drawer = lazy(() => import('./drawer'));

/** On narrow screens, the button that opens the navigation. */
export function Burger() {
  const t = useTexts('common').navigation;
  const [isOpen, setOpen] = useState(false);
  return (
    <div className={styles.burger}>
      <IconButton label={t.menu} icon={<MenuIcon aria-hidden />} aria-haspopup="dialog" aria-expanded={isOpen} onPress={() => setOpen(true)} />
      {isOpen && (
        <Suspense fallback={null}>
          <Drawer label={t.main} onClose={() => setOpen(false)}>
            <Side />
          </Drawer>
        </Suspense>
      )}
    </div>
  );
}
