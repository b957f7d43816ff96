import { IConstruct } from 'constructs';
import { attach, attached } from '../../core/construct/scope';
import { IHarvesterTarget } from '../../core/construct/target';

/** An IP pool that a Service names. */
export interface NamedPool {
  readonly name: string;
  readonly harvester: IHarvesterTarget;
}

const NAMED = Symbol.for('cdk8s-harvester.NamedPool');

/** Remembers the pool that `Ipam.pool(pool)` of a Service names, which no field of it has. */
export function expectPool(service: IConstruct, pool: NamedPool): void {
  attach(service, NAMED, pool);
}

/** The pools that a Service names. */
export function namedPools(service: IConstruct): readonly NamedPool[] {
  return attached<NamedPool>(service, NAMED);
}

/** Whether a construct names a pool. */
export function hasNamedPool(construct: IConstruct): boolean {
  return namedPools(construct).length > 0;
}
