import type { Schemas } from '../api/client';

/** The name of who acted. The program itself acts at scheduled times and in imports. */
export const actorName = (actor: Pick<Schemas['ActorRef'], 'kind' | 'name'>) => (actor.kind === 'system' ? 'Imprimatur' : actor.name);
