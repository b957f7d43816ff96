import './registry/register';
export { matchers } from './testing/matchers';
export type { HarvesterMatchers } from './testing/matcher-types';
export type { MatcherResult } from './testing/matcher-result';
