interface NameOptions {
  readonly groupRef: string;
  readonly groupName?: string | undefined;
}

/** A customer on one line: the name with the ref beside it, or the ref alone. */
export function CustomerName({ groupRef, groupName }: NameOptions) {
  if (groupName === undefined || groupName === '' || groupName === groupRef)
    return (
      <span class="customer-name" title={groupRef}>
        <span>{groupRef}</span>
      </span>
    );
  return (
    <span class="customer-name" title={`${groupName} (${groupRef})`}>
      <span>{groupName}</span> <span class="fine">{groupRef}</span>
    </span>
  );
}
