import { DetailedShape, Shape } from '../../src/core/shape/shape-node';

/** A shape without the fields at some paths, e.g. `spec.pools[].name`, and without constraints that mention them. */
export function withoutFields(shape: DetailedShape, paths: readonly string[]): DetailedShape {
  return paths.reduce((rest, path) => edited(rest, path, () => undefined), shape);
}

/** A shape with the fields at some paths taken from another one. */
export function withFields(shape: DetailedShape, paths: readonly string[], other: DetailedShape): DetailedShape {
  return paths.reduce((all, path) => edited(all, path, () => fieldAt(other, path)), shape);
}

function edited(shape: DetailedShape, path: string, make: () => Shape | undefined): DetailedShape {
  return editedAt(shape, path.split('.'), make) as DetailedShape;
}

function editedAt(shape: Shape, [step, ...rest]: readonly string[], make: () => Shape | undefined): Shape {
  const name = step.replace('[]', '');
  const { fields, limits, ...others } = shape as DetailedShape;
  if (fields === undefined) { throw new Error(`${step}: the shape has no fields there`); }
  if (rest.length === 0) {
    const { [name]: _, ...kept } = fields;
    const made = make();
    const all = made === undefined ? kept : { ...kept, [name]: made };
    const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
    return { ...others, fields: sorted, ...limitsWithout(limits, made === undefined ? name : undefined) };
  }
  const child = fields[name];
  if (child === undefined) { throw new Error(`${name}: is not a field of the shape`); }
  const below = step.endsWith('[]') ? editedItem(child, rest, make) : editedAt(child, rest, make);
  return { ...others, fields: { ...fields, [name]: below }, ...(limits && { limits }) };
}

function editedItem(list: Shape, rest: readonly string[], make: () => Shape | undefined): Shape {
  if (Array.isArray(list)) { return [editedAt(list[0], rest, make)]; }
  return { ...list as DetailedShape, list: editedAt((list as DetailedShape).list!, rest, make) };
}

function limitsWithout(limits: DetailedShape['limits'], name: string | undefined): Pick<DetailedShape, 'limits'> {
  if (limits === undefined || name === undefined) { return limits === undefined ? {} : { limits }; }
  const validations = (limits['x-kubernetes-validations'] as readonly { rule: string }[] | undefined)?.filter(({ rule }) => !rule.includes(`.${name}`));
  const { 'x-kubernetes-validations': _, ...others } = limits;
  const kept = { ...others, ...(validations && validations.length > 0 && { 'x-kubernetes-validations': validations }) };
  return Object.keys(kept).length > 0 ? { limits: kept } : {};
}

function fieldAt(shape: Shape, path: string): Shape {
  return path.split('.').reduce((at: Shape, step) => {
    const child = (at as DetailedShape).fields?.[step.replace('[]', '')];
    if (child === undefined) { throw new Error(`${path}: is not a field of the later definition`); }
    if (!step.endsWith('[]')) { return child; }
    return Array.isArray(child) ? child[0] : (child as DetailedShape).list!;
  }, shape);
}
