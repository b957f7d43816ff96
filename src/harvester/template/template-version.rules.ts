import { isLate } from '../../core/late/late-token';
import { Manifest, kindKey, valueAt, itemsAt } from '../../core/manifest/manifest';
import { DEFAULT_NAMESPACE, GROUPS } from '../../core/manifest/names';
import { rules } from '../../core/rule/kit/fact';
import { levelIfMissing } from '../../core/rule/kit/relations';
import { text } from '../../core/rule/kit/values';
import { Rule } from '../../core/rule/rule';
import { CLAIMS_PATH, readClaims } from '../virtual-machine/machine-manifest.facts';
import { KIND_TEMPLATE, KIND_TEMPLATE_VERSION } from '../virtual-machine/virtual-machine.kind';

const LIMITS = 'spec.vm.spec.template.spec.domain.resources.limits';

/**
 * `<namespace>/<name>` as Harvester reads it: a name alone has no namespace.
 * @see harvester/harvester:pkg/ref/ref.go Parse
 */
const parsed = (id: string): readonly [namespace: string, name: string] => {
  const at = id.indexOf('/');
  return at < 0 ? ['', id] : [id.slice(0, at), id.slice(at + 1)];
};

/** Rules on the versions of templates of virtual machines. */
export const TEMPLATE_VERSION_RULES: readonly Rule[] = rules(
  {
    kinds: [kindKey(GROUPS.HARVESTER, KIND_TEMPLATE_VERSION)],
    source: 'harvester/harvester:pkg/webhook/resources/templateversion/validator.go',
  },
  [
    {
      id: 'template-version/template',
      what: 'a version belongs to a template of its namespace',
      creation: true,
      field: 'spec.templateId',
      required: {
        message: 'must be set',
        fix: 'set <namespace>/<name> of a VirtualMachineTemplate',
        says: 'TemplateId is empty',
      },
      check: text((path, value, object, world) => {
        const [namespace, name] = parsed(value);
        const own = object.manifest.metadata.namespace ?? DEFAULT_NAMESPACE;
        if (namespace !== own) {
          return {
            path,
            value,
            message: `must be ${own}/<name>: a version is in the namespace of its template`,
            fix: 'correct the namespace',
            says: 'Template version and template should reside in the same namespace',
          };
        }
        const level = levelIfMissing(
          object,
          world,
          [GROUPS.HARVESTER, KIND_TEMPLATE],
          namespace,
          name,
        );
        return (
          level && {
            path,
            value,
            level,
            message: 'must name a VirtualMachineTemplate',
            fix: 'declare the template',
            says: `virtualmachinetemplates.harvesterhci.io "${name}" not found`,
          }
        );
      }),
    },
    {
      id: 'template-version/key-pairs',
      what: 'the key pairs of a version exist',
      creation: true,
      field: 'spec.keyPairIds',
      check: (path, ids, object, world) =>
        itemsAt(ids).flatMap((id: unknown, index) => {
          if (typeof id !== 'string') {
            return [];
          }
          const [namespace, name] = parsed(id);
          const level = levelIfMissing(
            object,
            world,
            [GROUPS.HARVESTER, 'KeyPair'],
            namespace,
            name,
          );
          if (level) {
            return [
              {
                path: `${path}[${index}]`,
                value: id,
                level,
                message: 'must be <namespace>/<name> of a KeyPair',
                fix: 'declare the KeyPair',
                says: `KeyPairID ${id} is invalid`,
              },
            ];
          }
          return [];
        }),
    },
    {
      id: 'template-version/limits',
      what: 'a version of a template sets limits of CPU and memory',
      creation: true,
      field: 'spec.vm.spec.template',
      check: (_, template) => {
        const limits = valueAt(template, 'spec', 'domain', 'resources', 'limits');
        const missing = ['memory', 'cpu'].filter((name) => valueAt(limits, name) === undefined);
        return (
          missing.length > 0 && {
            path: LIMITS,
            message: `must have ${missing.join(' and ')}`,
            fix: 'set cpu and memory',
            says: 'is an required field, but is missing from the input',
          }
        );
      },
    },
    {
      id: 'template-version/volumes',
      what: 'the claims of a version are a JSON list',
      creation: true,
      field: `spec.vm.${CLAIMS_PATH}`,
      check: (path, value, { manifest }) => {
        const vm = valueAt(manifest, 'spec', 'vm') as Manifest;
        return (
          readClaims({ ...vm, metadata: { ...vm.metadata, name: manifest.metadata.name } }).says !==
            undefined && {
            path,
            value,
            message: 'must be a JSON list of PersistentVolumeClaims',
            fix: 'correct the JSON',
            says: 'Invalid JSON data in annotation',
          }
        );
      },
    },
    {
      id: 'template-version/default',
      what: 'the default version of a template cannot be deleted before the template',
      judgeDeletion: (gone, world) => {
        const { name, namespace = DEFAULT_NAMESPACE } = gone.manifest.metadata;
        const [space, template] = parsed(
          String(valueAt(gone.manifest, 'spec', 'templateId') ?? ''),
        );
        const found = world.find(gone, GROUPS.HARVESTER, KIND_TEMPLATE, space, template);
        return (
          found &&
          valueAt(found.manifest, 'spec', 'defaultVersionId') === `${namespace}/${name}` && {
            message: `cannot be deleted: it is the default version of the template ${template}`,
            fix: 'set another defaultVersionId, or delete the template',
            says: 'Cannot delete the default templateVersion',
          }
        );
      },
    },
  ],
);

/** Rules on templates of virtual machines. */
export const TEMPLATE_RULES: readonly Rule[] = rules(
  { kinds: [kindKey(GROUPS.HARVESTER, KIND_TEMPLATE)] },
  [
    {
      id: 'template/default-version',
      level: 'warning',
      what: 'the default version of a template exists, and is of this template: without one, Harvester counts no versions',
      source: 'harvester/harvester:pkg/controller/master/template/template_controller.go OnChanged',
      field: 'spec.defaultVersionId',
      check: text((path, value, object, world) => {
        const [namespace, name] = parsed(value);
        const own = `${object.manifest.metadata.namespace ?? DEFAULT_NAMESPACE}/${object.manifest.metadata.name}`;
        const version = world.find(
          object,
          GROUPS.HARVESTER,
          KIND_TEMPLATE_VERSION,
          namespace,
          name,
        );
        const template = version && valueAt(version.manifest, 'spec', 'templateId');
        if (typeof template === 'string' && !isLate(template) && template !== own) {
          return {
            path,
            value,
            message: `must be a version of the template ${own}: this one is of ${template}`,
            fix: 'name a version of this template, or leave the field out',
          };
        }
        return (
          !version &&
          !world.knows(object, GROUPS.HARVESTER, KIND_TEMPLATE_VERSION, namespace, name) && {
            path,
            value,
            message: 'must be <namespace>/<name> of a VirtualMachineTemplateVersion',
            fix: 'declare the version',
          }
        );
      }),
    },
  ],
);
