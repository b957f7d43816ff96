import { Finding, FindingLevel } from './finding';
import { objectOf } from './judge';
import { DELIVERY_PREDICTABLE } from './program-rules';
import { KindAccess } from '../kind/description/access';
import { kindOf } from '../kind/kinds';
import { Manifest } from '../manifest/manifest';

/** An object that an engine delivers. */
interface Delivered {
  readonly manifest: Manifest;
  readonly target: string;
  readonly construct?: string;
}

/** The findings about objects that others can prepare before an engine delivers them. */
export function predictableFindings(objects: readonly Delivered[]): Finding[] {
  const { id: rule, level, source } = DELIVERY_PREDICTABLE;
  return objects.flatMap(({ manifest, target, construct }): Finding[] => {
    const found = kindOf<KindAccess>(manifest)?.power?.predictable?.(manifest);
    return found === undefined
      ? []
      : [
          {
            rule,
            level: level as FindingLevel,
            source,
            target,
            construct,
            object: objectOf(manifest),
            path: found.path,
            value: found.value,
            message: found.reason,
            fix: found.fix,
          },
        ];
  });
}
