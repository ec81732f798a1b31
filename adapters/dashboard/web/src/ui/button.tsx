import { Link, type LinkProps } from '@tanstack/react-router';
import type { MouseEventHandler, ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
import styles from './ui.module.css';

type Look = {
  /** primary: the main action of the page; quiet: without a border; danger: cannot be undone. */
  kind?: 'primary' | 'secondary' | 'quiet' | 'danger';
  icon?: ReactNode;
  /** The keyboard shortcut of the action, shown on the button. */
  shortcut?: string;
  wide?: boolean;
  children?: ReactNode;
};

function look({ kind = 'secondary', wide }: Look, square = false) {
  return { className: styles.button, 'data-kind': kind, 'data-wide': wide || undefined, 'data-square': square || undefined };
}

function Inside({ icon, shortcut, children }: Look) {
  return (
    <>
      {icon}
      {children}
      {shortcut && <Kbd aria-hidden>{shortcut}</Kbd>}
    </>
  );
}

/**
 * The props of a button that may be pending: it then keeps the focus and does nothing. The pending
 * state of React Aria would announce the button by its id for 7 s, also after the page has gone on
 * without it, as an image without a name.
 */
function pressable({ isPending, ...props }: Omit<AriaButtonProps, 'children' | 'className'>) {
  if (!isPending) return props;
  return { ...props, type: 'button' as const, onPress: undefined, 'aria-disabled': true, 'data-pending': true };
}

export function Button({ kind, icon, shortcut, wide, children, ...props }: Omit<AriaButtonProps, 'children' | 'className'> & Look) {
  return (
    <AriaButton {...pressable(props)} {...look({ kind, wide })}>
      <Inside icon={icon} shortcut={shortcut}>
        {children}
      </Inside>
    </AriaButton>
  );
}

/** A button with only an icon; label is its accessible name. */
export function IconButton({ label, icon, kind = 'quiet', ...props }: Omit<AriaButtonProps, 'children' | 'className'> & { label: string; icon: ReactNode; kind?: Look['kind'] }) {
  return (
    <AriaButton {...pressable(props)} {...look({ kind }, true)} aria-label={label}>
      {icon}
    </AriaButton>
  );
}

/** A link that looks like a button. */
export function ButtonLink({ kind, icon, shortcut, wide, children, ...props }: LinkProps & Look) {
  return (
    <Link {...props} {...look({ kind, wide })}>
      <Inside icon={icon} shortcut={shortcut}>
        {children}
      </Inside>
    </Link>
  );
}

/** A link to another site that looks like a button. It opens a new tab without access to this one. */
export function SiteLink({ kind, icon, wide, children, ...props }: { href: string; onClick?: MouseEventHandler } & Look) {
  return (
    <a {...props} {...look({ kind, wide })} target="_blank" rel="noopener noreferrer">
      <Inside icon={icon}>{children}</Inside>
    </a>
  );
}

/** The name of a key. */
export function Kbd(props: { children: ReactNode; 'aria-hidden'?: boolean }) {
  return <kbd className={styles.kbd} {...props} />;
}
