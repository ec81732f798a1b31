import { ChevronRight } from 'lucide-react';
import { useEffect, type ReactNode } from 'react';
import { useTexts } from '../i18n/language';
import { Bell } from './bell';
import { Burger } from './navigation';
import { SearchButton } from './searchbutton';
import styles from './shell.module.css';

type PageProps = {
  /** The title of the browser tab, and of the page if it has no heading. */
  title: string;
  /** Breadcrumb links to the parent pages, outermost first. */
  above?: ReactNode[];
  /** Shown after the title in the bar, such as the state of an entry. */
  status?: ReactNode;
  /** The actions at the end of the bar. */
  actions?: ReactNode;
  /** The column beside the content. */
  panel?: ReactNode;
  panelLabel?: string;
  /** Gives the panel half of the room. */
  panelWide?: boolean;
  width?: 'text' | 'full';
  children: ReactNode;
};

/** The frame of every page: the bar with breadcrumbs and actions, the content, and a panel. */
export function Page({ title, above = [], status, actions, panel, panelLabel, panelWide, width, children }: PageProps) {
  const t = useTexts('common').page;
  useEffect(() => {
    document.title = `${title} · Imprimatur`;
  }, [title]);
  const content = (
    <div className={styles.page} data-width={width}>
      {children}
    </div>
  );
  return (
    <>
      <header className={styles.bar}>
        <Burger />
        <nav className={styles.crumbs} aria-label={t.place}>
          <ol>
            {above.map((link, i) => (
              <li key={i}>
                {link}
                <ChevronRight aria-hidden />
              </li>
            ))}
            <li>
              <span aria-current="page">{title}</span>
            </li>
          </ol>
        </nav>
        {status && <div className={styles.state}>{status}</div>}
        <div className={styles.right}>
          <SearchButton small={!!actions} />
          <Bell />
          {actions}
        </div>
      </header>
      {/* The same element with and without a panel, so that the content keeps its state. */}
      <div className={panel ? styles.withPanel : undefined} data-wide={panelWide || undefined}>
        {content}
        {panel && (
          <aside className={styles.panel} aria-label={panelLabel}>
            {panel}
          </aside>
        )}
      </div>
    </>
  );
}

/** The heading of a page, with a lead below it and actions beside it. */
export function PageHead({ title, lead, children }: { title: string; lead?: ReactNode; children?: ReactNode }) {
  return (
    <div className={styles.head}>
      <div>
        <h1>{title}</h1>
        {lead && <p>{lead}</p>}
      </div>
      {children && <div>{children}</div>}
    </div>
  );
}
