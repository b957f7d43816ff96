import { Cause, Impact, leaves, shown } from './impact';
import { objectKey, objectLabel, valueAt } from '../../core/manifest/manifest';
import { OutputChange, OutputObject, leftOutput } from '../../core/output/left-output.rules';
import { OUTPUT_NOW_WAITS } from '../../core/rule/program-rules';
import { HARVESTER_CONFIG_KIND } from '../../guest/cluster/cluster.kind';
import { GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE } from '../../harvester/virtual-machine/virtual-machine.kind';
import { isProvisioned } from '../../rancher/cluster/provisioning-cluster.kind';

/** What an edit of the template of a VirtualMachine does. */
export const NEXT_START = 'changes at the next start of the machine; its volumes are kept';

const isMachine = ({ manifest }: OutputObject): boolean => manifest.kind === KIND_VIRTUAL_MACHINE && manifest.apiVersion.startsWith(`${GROUP_KUBEVIRT}/`);

/**
 * What an edit does to virtual machines, volumes, images, namespaces and imports: which are deleted, wait now, or change at their next start. Guest
 * clusters have impacts of their own.
 */
export function objectImpacts(change: OutputChange): Impact[] {
  return [...deletions(change), ...restarts(change)];
}

function deletions(change: OutputChange): Impact[] {
  const before = new Map(change.before.map((object) => [`${object.target} ${objectLabel(object.manifest)}`, object]));
  return leftOutput(change).flatMap(({ rule, level, target = '', object, message, construct }): Impact[] => {
    const { kind = '', namespace, name } = object ?? {};
    const label = `${kind} ${namespace ? `${namespace}/` : ''}${name}`;
    const was = before.get(`${target} ${label}`);
    const waits = rule === OUTPUT_NOW_WAITS.id;
    // the impacts of guest clusters cover these
    const isGuests = was !== undefined && (kind === HARVESTER_CONFIG_KIND || (kind === 'Cluster' && isProvisioned(was.manifest)));
    if (level !== 'error' || (isGuests && !waits)) { return []; }
    return [{
      effect: 'delete',
      cluster: '',
      object: label,
      target,
      machines: was && isMachine(was) ? 1 : 0,
      what: message.slice(label.length + 1),
      causes: [{ object: label, path: '', remark: waits ? 'waits now' : 'is gone' }],
      risks: [],
      ...(construct === undefined ? {} : { construct }),
    }];
  });
}

function restarts({ before, after }: OutputChange): Impact[] {
  const was = new Map(before.filter(isMachine).map((object) => [`${object.target} ${objectKey(object.manifest)}`, object]));
  return after.filter(isMachine).flatMap((now): Impact[] => {
    const old = was.get(`${now.target} ${objectKey(now.manifest)}`);
    const template = ({ manifest }: OutputObject): unknown => valueAt(manifest, 'spec', 'template', 'spec');
    const object = objectLabel(now.manifest);
    // user data may hold secrets
    const cause = ([path, a, b]: [string, unknown, unknown]): Cause => ({ object, path, ...(/cloudInit/.test(path) ? {} : shown(a, b)) });
    const causes = old ? leaves('spec.template.spec', template(old), template(now)).map(cause) : [];
    return causes.length === 0 ? [] : [{
      effect: 'restart',
      cluster: '',
      object,
      target: now.target,
      machines: 1,
      what: NEXT_START,
      causes,
      risks: [],
      ...(now.construct === undefined ? {} : { construct: now.construct }),
    }];
  });
}
