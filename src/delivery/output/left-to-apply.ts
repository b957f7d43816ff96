import { PlainOutput } from '../../core/app/delivery-step';
import { kindOf } from '../../core/kind/all-kinds';
import { objectLabel } from '../../core/manifest/manifest';
import { Finding } from '../../core/rule/finding';
import { objectOf } from '../../core/rule/judge';
import { DELIVERY_LEFT } from '../../core/rule/program-rules';

/** An object that no engine delivers, since it would never come to rest. */
export interface LeftObject {
  readonly reason: string;
  readonly finding: Finding;
}

/** The objects that only apply writes, by ID. */
export function leftToApply({ assembly, manifests }: PlainOutput): ReadonlyMap<string, LeftObject> {
  const left = new Map<string, LeftObject>();
  for (const { id, target, construct } of assembly.objects.filter(({ onlyApply }) => onlyApply === undefined)) {
    const manifest = manifests.get(id)!;
    const unsettled = kindOf(manifest)?.unsettled?.(manifest);
    if (unsettled === undefined) { continue; }
    const { id: rule, level, source } = DELIVERY_LEFT;
    left.set(id, {
      reason: unsettled.reason,
      finding: {
        rule,
        level,
        construct,
        target,
        source,
        object: objectOf(manifest),
        path: unsettled.path,
        message: `${objectLabel(manifest)} ${unsettled.reason}, so it is left out of the files for the engine`,
        fix: unsettled.fix,
      },
    });
  }
  return left;
}
