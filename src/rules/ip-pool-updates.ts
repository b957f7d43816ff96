import { JudgedObject, Rule } from './rule';
import { holds, printRange } from '../model/load-balancer/ip-range';
import { readPool } from '../model/load-balancer/pool';
import { Manifest } from '../model/manifest';
import { Problem } from '../model/problem';

const KINDS = ['loadbalancer.harvesterhci.io/IPPool'];
const VALIDATOR = 'harvester/load-balancer-harvester:pkg/webhook/ippool/validator.go';
const MAX_SHOWN = 5;

const EXCLUDED: Rule = {
  id: 'ip-pool/allocated-excluded',
  level: 'error',
  kinds: KINDS,
  what: 'the ranges of a pool keep the addresses that are given out',
  says: 'allocated IP … is excluded',
  source: `${VALIDATOR} checkAllocated`,
  *judgeUpdate({ manifest }: JudgedObject, before: Manifest): Iterable<Problem> {
    const { ranges, complete } = readPool(manifest);
    if (!complete) { return; }
    const { allocated } = readPool(before);
    const lost = [...allocated.keys()].filter((ip) => !ranges.some((range) => holds(range, ip)));
    if (lost.length === 0) { return; }
    yield {
      path: 'spec.ranges',
      value: ranges.map(printRange),
      message: `leave out ${shortList(lost.map((ip) => `${ip} of ${allocated.get(ip)}`))}`,
      fix: 'keep these addresses in the pool until their load balancers are gone',
      says: `can't update IP pool ${manifest.metadata.name} because allocated IP ${lost[0]} is excluded`,
    };
  },
};

const IN_USE: Rule = {
  id: 'ip-pool/in-use',
  level: 'error',
  kinds: KINDS,
  what: 'a pool is deleted after all load balancers that have an address of it',
  says: 'can\'t delete pool before releasing all the allocated IP',
  source: `${VALIDATOR} Delete`,
  *judgeDeletion({ manifest }: JudgedObject): Iterable<Problem> {
    const { allocated } = readPool(manifest);
    if (allocated.size === 0) { return; }
    const given = shortList([...allocated].map(([ip, owner]) => `${ip} to ${owner}`));
    yield {
      path: 'status.allocated',
      message: `${manifest.metadata.name} is taken away while it has given out ${given}`,
      fix: 'delete the Services and load balancers first and wait until their addresses are back',
      says: 'can\'t delete pool before releasing all the allocated IP',
    };
  },
};

function shortList(texts: readonly string[]): string {
  return `${texts.slice(0, MAX_SHOWN).join(', ')}${texts.length > MAX_SHOWN ? ` and ${texts.length - MAX_SHOWN} more` : ''}`;
}

/** Rules for edits and deletions of pools. */
export const POOL_UPDATE_RULES: readonly Rule[] = [EXCLUDED, IN_USE];
