import { Cause, Effect, Impact, ImpactSide, Sides, leaves, shown } from './impact';
import { disabledLogin, isEnabledLogin } from './login-impacts';
import { remarkOn } from './machine-template';
import { givesAccess } from '../../core/kind/kinds';
import { hasDefault, holdingOf } from '../../core/kind/retention';
import { OutputChange, OutputObject, leftOutput } from '../../core/leaving/left-output.rules';
import { objectId, objectLabel, valueAt } from '../../core/manifest/manifest';
import { OUTPUT_NOW_WAITS } from '../../core/rule/program-rules';
import { withFates } from '../../engine/read/lint';
import { Becomes } from '../../engine/removal/removal';
import { HARVESTER_CONFIG_KIND } from '../../guest/machine-config/machine-config.kind';
import {
  GROUP_KUBEVIRT,
  KIND_VIRTUAL_MACHINE,
} from '../../harvester/virtual-machine/machine-manifest.facts';
import { isProvisioned } from '../../rancher/cluster/cluster.facts';

/** What an edit of the template of a VirtualMachine does. */
export const NEXT_START = 'changes at the next start of the machine; its volumes are kept';

const isMachine = ({ manifest }: OutputObject): boolean =>
  manifest.kind === KIND_VIRTUAL_MACHINE && manifest.apiVersion.startsWith(`${GROUP_KUBEVIRT}/`);

/**
 * What an edit does to virtual machines, volumes, images, namespaces and imports: which are
 * deleted, wait now, or change at their next start. Guest clusters have impacts of their own.
 */
export function objectImpacts(
  change: OutputChange,
  sides: Sides,
  becomes: ReadonlyMap<string, Becomes> = new Map(),
): Impact[] {
  return [...deletions(change, becomes), ...restarts(change, sides)];
}

function deletions(change: OutputChange, becomes: ReadonlyMap<string, Becomes>): Impact[] {
  const before = new Map(
    change.before.map((object) => [`${object.target} ${objectLabel(object.manifest)}`, object]),
  );
  return leftOutput(withFates(change, becomes)).flatMap(
    ({ rule, level, target = '', object, message, construct, suppressed }): Impact[] => {
      const { kind = '', namespace, name } = object ?? {};
      const label = `${kind} ${namespace ? `${namespace}/` : ''}${name}`;
      const was = before.get(`${target} ${label}`);
      const waits = rule === OUTPUT_NOW_WAITS.id;
      // the impacts of guest clusters cover these
      const isGuests =
        was !== undefined &&
        (kind === HARVESTER_CONFIG_KIND || (kind === 'Cluster' && isProvisioned(was.manifest)));
      const found = was && becomes.get(objectId(was.target, was.manifest));
      const isKept = found?.fate === 'kept';
      if (was && found?.fate === 'reset' && isEnabledLogin(was)) {
        return [disabledLogin(was, found, suppressed)];
      }
      // what is only needed by others is kept with them
      const isAccess = was && givesAccess(was.manifest) && !hasDefault(was.manifest);
      const isShown = isKept && (holdingOf(was!.manifest) ?? isAccess);
      if (isKept ? isGuests || !isShown : level !== 'error' || (isGuests && !waits)) {
        return [];
      }
      return [
        {
          effect: effectOf(isKept, waits && !change.hasEngine),
          cluster: '',
          object: label,
          target,
          machines: was && isMachine(was) ? 1 : 0,
          what: isKept ? keptText(found) : message.slice(label.length + 1),
          causes: [{ object: label, path: '', remark: waits ? 'waits now' : 'is gone' }],
          risks: isKept ? keptRisks(found) : [],
          ...(suppressed === undefined ? {} : { accepted: suppressed }),
          ...(was === undefined || isKept || !change.hasProgram
            ? {}
            : { id: objectId(was.target, was.manifest) }),
          ...(construct === undefined ? {} : { construct }),
        },
      ];
    },
  );
}

/** @param isLate whether apply writes the object once it knows a value */
function effectOf(isKept: boolean, isLate: boolean): Effect {
  if (isKept) {
    return 'kept';
  }
  return isLate ? 'unknown' : 'delete';
}

function restarts({ before, after }: OutputChange, sides: Sides): Impact[] {
  const was = new Map(
    before.filter(isMachine).map((object) => [objectId(object.target, object.manifest), object]),
  );
  return after.filter(isMachine).flatMap((now): Impact[] => {
    const old = was.get(objectId(now.target, now.manifest));
    const template = ({ manifest }: OutputObject, side: ImpactSide): unknown =>
      side.resolved(valueAt(manifest, 'spec', 'template', 'spec'));
    const object = objectLabel(now.manifest);
    // user data may hold secrets
    const cause = ([path, a, b]: [string, unknown, unknown]): Cause => ({
      object,
      path,
      ...(/cloudInit/.test(path) ? {} : shown(a, b)),
      ...remarkOn(a, b),
    });
    const causes = old
      ? leaves('spec.template.spec', template(old, sides.before), template(now, sides.after)).map(
          cause,
        )
      : [];
    if (causes.length === 0) {
      return [];
    }
    return [
      {
        effect: 'restart',
        cluster: '',
        object,
        target: now.target,
        machines: 1,
        what: NEXT_START,
        causes,
        risks: [],
        ...(now.construct === undefined ? {} : { construct: now.construct }),
      },
    ];
  });
}

/** An apply keeps what holds data. */
function keptText({ reason, loss }: Becomes): string {
  const becomes =
    loss === undefined
      ? 'is no longer delivered, but kept on the cluster:'
      : 'is no longer delivered: an apply without --prune-machines keeps it, as';
  return `${becomes} ${reason}`;
}

/** What an apply keeps may be lost in other ways. */
export function keptRisks({ loss }: Becomes): string[] {
  return loss === undefined ? [] : ['an apply with --prune-machines deletes it'];
}
