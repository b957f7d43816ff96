import { ReadOptions } from './find-files';
import { kindOf } from '../../core/kind/kinds';
import { Manifest } from '../../core/manifest/manifest';
import { Assembly, AssemblyTarget } from '../../core/output/assembly';
import { judgedTarget } from '../../core/rule/judge';
import { JudgedTarget } from '../../core/rule/rule';

/** How files are read, and the cluster of objects without an assembly. */
export interface TargetOptions extends ReadOptions {
  readonly targetKind?: 'rancher' | 'harvester' | 'guest';
  readonly rancherVersion?: string;
  readonly harvesterVersion?: string;
  readonly kubernetesVersion?: string;
}

/** The targets of assemblies as rules see them. */
export function targetsOf(assemblies: readonly Assembly[], options: TargetOptions): JudgedTarget[] {
  return assemblies.flatMap(({ targets }) =>
    targets.map((target) => targetOfAssembly(target, options)),
  );
}

/**
 * A target of an assembly as rules see it. A version of the command line overrides that of the
 * assembly, to try an upgrade.
 */
export function targetOfAssembly(target: AssemblyTarget, options: TargetOptions): JudgedTarget {
  const { name, kind, version, properties, construct } = target;
  const versionsOfOptions = {
    rancher: options.rancherVersion,
    harvester: options.harvesterVersion,
    guest: options.kubernetesVersion,
  };
  return judgedTarget(name, kind, versionsOfOptions[kind] ?? version, properties, construct);
}

/** The target that options describe, for objects that belong to no other one. */
export function targetOfOptions(options: TargetOptions): JudgedTarget {
  const { targetKind: kind, rancherVersion, harvesterVersion, kubernetesVersion } = options;
  return {
    name: kind ?? 'input',
    ...(kind ? { kind } : {}),
    ...(rancherVersion ? { rancherVersion } : {}),
    ...(harvesterVersion ? { harvesterVersion } : {}),
    ...(kubernetesVersion ? { kubernetesVersion } : {}),
  };
}

/** The only target that may have an object of this kind; undefined if none or several may. */
export function onlyTargetFor(
  manifest: Manifest,
  targets: readonly JudgedTarget[],
): JudgedTarget | undefined {
  const kinds: readonly string[] | undefined = kindOf(manifest)?.targets;
  const fitting = targets.filter(
    ({ kind }) => kind === undefined || !kinds || kinds.includes(kind),
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}
