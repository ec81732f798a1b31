import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { definitionsQuery, type Definition, type Kind } from './requests';

/** The definition and the field that a location such as "components.hero.fields.links" names. */
export function fieldAt(location: string, definitions: Record<Kind, readonly Definition[]>) {
  const [, kind, slug, name] = /^(collections|components)\.([^.]+)\.fields\.([^.]+)$/.exec(location) ?? [];
  const definition = kind && definitions[kind as Kind].find((one) => one.slug === slug);
  const field = definition && definition.fields.find((one) => one.name === name);
  return definition && field ? { kind: kind as Kind, definition, field } : undefined;
}

/** A link to the definition with the field at a location; the location itself if there is no such field. */
export function PlaceLink({ projectId, location }: { projectId: number; location: string }) {
  const collections = useQuery(definitionsQuery('collections', projectId)).data?.data ?? [];
  const components = useQuery(definitionsQuery('components', projectId)).data?.data ?? [];
  const at = fieldAt(location, { collections, components });
  if (!at) return location;
  const { kind, definition, field } = at;
  const text = `${definition.name} › ${field.label}`;
  return kind === 'components' ? (
    <Link to="/projects/$projectId/components/$componentId" params={{ projectId, componentId: definition.id }}>
      {text}
    </Link>
  ) : (
    <Link to="/projects/$projectId/collections/$collectionId/definition" params={{ projectId, collectionId: definition.id }}>
      {text}
    </Link>
  );
}
