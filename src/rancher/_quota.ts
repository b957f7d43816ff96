import { Size, SizeRoundingBehavior } from 'cdk8s';
import type { Cpu } from 'cdk8s-plus-28';
import { ContainerDefaults, Quota } from './quota';
import { quantityOf } from '../model/checks/quantity';
import { Problem } from '../model/problem';
import { EXTENDED_PREFIX, QuotaLimit } from '../model/tenancy/quota-keys';
import { bytesText, cpuText } from '../model/tenancy/quota-text';
import { FeatureGates, GateId, RancherVersion } from '../versions';

/** A quota in Kubernetes quantities, in their canonical text. */
export function quotaLimit(quota: Quota): QuotaLimit {
  const { extended = {}, ...plain } = quota;
  return {
    ...texts(plain as { [key: string]: Cpu | Size | number | undefined }),
    ...Object.fromEntries(Object.entries(extended).map(([resource, amount]) => [`${EXTENDED_PREFIX}${resource}`, amount])),
  };
}

/** Container defaults in Kubernetes quantities. */
export function containerLimit(defaults: ContainerDefaults): QuotaLimit {
  return texts(defaults as { [key: string]: Cpu | Size | undefined });
}

/** What is wrong with a quota beside its amounts: nothing in it, or what this version of Rancher does not know. */
export function checkQuota(path: string, quota: Quota | undefined, version: RancherVersion): Problem[] {
  if (!quota) { return []; }
  const gate = quota.extended && FeatureGates.of(GateId.PROJECT_QUOTA_EXTENDED).problem(version);
  return [
    ...(Object.keys(quotaLimit(quota)).length > 0 ? [] : [{ path, message: 'is empty', fix: 'name what is limited, or leave it out' }]),
    ...(gate ? [{ path: `${path}.extended`, message: gate, fix: 'leave it out' }] : []),
    ...Object.entries(quota).filter(([, value]) => typeof value === 'number' && !Number.isInteger(value)).map(([key, value]) => ({
      path: `${path}.${key}`, value, message: 'is no whole number', fix: 'give zero or more',
    })),
  ];
}

function texts(amounts: { [key: string]: Cpu | Size | number | undefined }): QuotaLimit {
  return Object.fromEntries(Object.entries(amounts).flatMap(([key, amount]) => (amount === undefined ? [] : [[key, textOf(amount)]])));
}

function textOf(amount: Cpu | Size | number): string {
  if (typeof amount === 'number') { return String(amount); }
  // by what they can, not by class: two copies of a library in one program have two of each
  if ('toKibibytes' in amount) { return bytesText(amount.toKibibytes({ rounding: SizeRoundingBehavior.NONE }) * 1024); }
  const cores = quantityOf(amount.amount);
  return cores === undefined ? amount.amount : cpuText(cores);
}
