import { DeliveredOutput, PlainOutput } from '../../core/app/delivery-step';
import { AssemblyObject, FileNames } from '../../core/output/assembly';
import { toYaml } from '../../core/yaml/yaml-writer';

/** The files of an output without an engine, in which some objects have files of their own. */
export function undelivered({ assembly, manifests, layout, order, hiding }: PlainOutput): DeliveredOutput {
  const names = new FileNames(layout);
  const byId = new Map(assembly.objects.map((object) => [object.id, object]));
  const files = new Map<string, string>();
  const written = new Map<string, string>();
  for (const id of order ?? assembly.objects.filter(({ file }) => file !== undefined).map(({ id: each }) => each)) {
    const { target, file } = byId.get(id)!;
    const manifest = manifests.get(id)!;
    const own = hiding?.ownFiles.get(id);
    const name = own === undefined ? file! : names.of(target, manifest, 0, own);
    const before = files.get(name);
    files.set(name, before === undefined ? toYaml(manifest) : `${before}---\n${toYaml(manifest)}`);
    written.set(id, name);
  }
  const objects = assembly.objects.map((object): AssemblyObject => {
    const file = written.get(object.id);
    return file === undefined ? object : { ...object, file };
  });
  return { assembly: { ...assembly, objects }, files };
}
