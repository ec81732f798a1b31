import type { Schemas } from '../../api/client';
import { projectEventTypes } from '../../api/eventtypes';

// The choice of the events of a webhook: types, and patterns such as "media.*" for all types of a
// kind, or "*" for all types.

export type ProjectEvent = (typeof projectEventTypes)[number];
export type ProjectKind = ProjectEvent extends infer T ? (T extends `${infer K}.${string}` ? K : never) : never;

/** A type, or a pattern of types. */
export type EventPattern = Schemas['Webhook']['events'][number];

const kindOf = (type: string) => type.slice(0, type.indexOf('.')) as ProjectKind;

/** The kinds of events that occur in Projects, with their types. */
export const kinds = [...new Set(projectEventTypes.map(kindOf))].map((kind) => [kind, projectEventTypes.filter((type) => kindOf(type) === kind)] as const);

const wholeKind = (kind: ProjectKind) => `${kind}.*` as const;

/** Whether the patterns contain a type. */
export const contains = (patterns: readonly EventPattern[], type: ProjectEvent) => [type, wholeKind(kindOf(type)), '*' as const].some((pattern) => patterns.includes(pattern));

/** Whether the patterns contain all types of a kind by a pattern: also those that a later version adds. */
export const containsKind = (patterns: readonly EventPattern[], kind: ProjectKind) => patterns.includes('*') || patterns.includes(wholeKind(kind));

/** The types that the patterns contain. */
export const chosen = (patterns: readonly EventPattern[]) => projectEventTypes.filter((type) => contains(patterns, type));

/** Adds or removes all types. */
export const withAll = (on: boolean): EventPattern[] => (on ? ['*'] : []);

/** Adds or removes all types of a kind. */
export function withKind(patterns: readonly EventPattern[], kind: ProjectKind, on: boolean): EventPattern[] {
  const others = expand(patterns, '*').filter((pattern) => kindOf(pattern) !== kind);
  return on ? [...others, wholeKind(kind)] : others;
}

/** Adds or removes one type. */
export function withType(patterns: readonly EventPattern[], type: ProjectEvent, on: boolean): EventPattern[] {
  const others = expand(expand(patterns, '*'), wholeKind(kindOf(type))).filter((pattern) => pattern !== type);
  return on ? [...others, type] : others;
}

/** The patterns with one of them replaced by what it stands for: "*" by the kinds, a kind by its types. */
function expand(patterns: readonly EventPattern[], one: EventPattern): EventPattern[] {
  return patterns.flatMap((pattern) => {
    if (pattern !== one) return pattern;
    return one === '*' ? kinds.map(([kind]) => wholeKind(kind)) : projectEventTypes.filter((type) => wholeKind(kindOf(type)) === one);
  });
}
