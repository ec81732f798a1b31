import { defineCollection } from 'astro:content';
import { changes } from './lib/loader.js';

/** Everything that is public, under the keys "project", "media/<id>" and "<collection>/<id>". */
export const collections = { copy: defineCollection({ loader: changes }) };
