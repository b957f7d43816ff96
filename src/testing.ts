import './registry/register';
export { matchers } from './testing/matchers';
export type { HarvesterMatchers } from './testing/matchers';
export type { MatcherResult } from './testing/declared';
