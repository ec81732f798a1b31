import { Link } from '@tanstack/react-router';
import { Check, Copy } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import type { Schemas } from '../api/client';
import { useProject } from '../api/queries';
import { NotFound } from '../shell/failed';
import { Page, PageHead } from '../shell/page';
import { Mono } from '../ui/basics';
import type { Texts } from '../texts/languages';
import { IconButton } from '../ui/button';
import styles from './settings.module.css';

type ProjectPageProps = {
  projectId: number;
  title: string;
  lead?: ReactNode;
  /** Breadcrumb links between the Project and this page. */
  above?: ReactNode[];
  actions?: (project: Schemas['Project']) => ReactNode;
  width?: 'text' | 'full';
  children: (project: Schemas['Project']) => ReactNode;
};

/** A settings page of a Project. */
export function ProjectPage({ projectId, title, lead, above = [], actions, width, children }: ProjectPageProps) {
  const project = useProject(projectId);
  if (!project) return <NotFound />;
  return (
    <Page
      title={title}
      width={width}
      above={[
        <Link key="project" activeOptions={{ exact: true }} to="/projects/$projectId" params={{ projectId }}>
          {project.name}
        </Link>,
        ...above,
      ]}
    >
      <PageHead title={title} lead={lead}>
        {actions?.(project)}
      </PageHead>
      {children(project)}
    </Page>
  );
}

/** A section of a page with a heading. */
export function Section({ title, lead, actions, children }: { title: string; lead?: ReactNode; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className={styles.section}>
      <div className={styles.sectionHead}>
        <div>
          <h2>{title}</h2>
          {lead && <p>{lead}</p>}
        </div>
        {actions && <div>{actions}</div>}
      </div>
      {children}
    </section>
  );
}

/** A list of rows with actions. */
export function Rows({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul className={styles.rows} aria-label={label}>
      {children}
    </ul>
  );
}

type RowProps = { icon?: ReactNode; title: ReactNode; meta?: ReactNode; aside?: ReactNode; actions?: ReactNode; dim?: boolean };

export function Row({ icon, title, meta, aside, actions, dim }: RowProps) {
  return (
    <li data-dim={dim || undefined}>
      {icon}
      <div className={styles.rowText}>
        <div className={styles.rowTitle}>{title}</div>
        {meta && <div className={styles.rowMeta}>{meta}</div>}
      </div>
      {aside && <div className={styles.rowAside}>{aside}</div>}
      {actions && <div className={styles.rowActions}>{actions}</div>}
    </li>
  );
}

/** Shown in an empty section, with the possible next action. */
export function Nothing({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className={styles.nothing}>
      <b>{title}</b>
      <div>{children}</div>
    </div>
  );
}

type CopyableProps = { value: string; texts: Texts['settings']['copyable'] };

/** An identifier with a copy button. */
export function Copyable({ value, texts: t }: CopyableProps) {
  const [copied, setCopied] = useState(false);
  return (
    <span className={styles.copyable}>
      <Mono>{value}</Mono>
      <IconButton
        label={copied ? t.copied : t.copy(value)}
        icon={copied ? <Check aria-hidden /> : <Copy aria-hidden />}
        onPress={() => void navigator.clipboard.writeText(value).then(() => setCopied(true))}
      />
    </span>
  );
}
