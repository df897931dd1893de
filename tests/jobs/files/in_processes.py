"""Many files, searched by two processes; the records come in the order of the files."""

from urisieve import extract_files


def main() -> None:
    one, two = ([record.uri for record in extract_files(["samples/mail"], jobs=jobs)] for jobs in (1, 2))
    print(one == two, len(one) > 100)


if __name__ == "__main__":
    main()
# prints:
# True True
